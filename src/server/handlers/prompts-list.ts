import { encodePromptsList } from "../../protocol/prompts-codec.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { featureOf } from "../feature-of.ts";
import { listCacheHints } from "../list-cache-hints.ts";
import type { MethodReply } from "../method.ts";
import { pageReply } from "../page-reply.ts";

/** `prompts/list` (modern.md section 5). */
export async function handlePromptsList(
  request: ActiveRequest,
  connection: Connection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "prompts").list(request.client);
  const hints = listCacheHints(connection.server.features, "prompts");
  return pageReply(request, { name: "prompts", entries, keyOf: ({ name }) => name }, (page) =>
    encodePromptsList(page, request.version, hints),
  );
}
