import { encodePromptsList } from "../../protocol/prompts-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import { listCacheHints } from "../context/list-cache-hints.ts";
import type { MethodReply } from "../connection/method.ts";
import { pageReply } from "./page-reply.ts";

/** `prompts/list` (docs/spec/modern.md#resources-and-prompts). */
export async function handlePromptsList(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "prompts").list(request.client);
  const hints = listCacheHints(connection.server.features, "prompts");
  return pageReply(request, { name: "prompts", entries, keyOf: ({ name }) => name }, (page) =>
    encodePromptsList(page, request.version, hints),
  );
}
