import { encodeSkillsList } from "../../protocol/skills-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import { listCacheHints } from "../context/list-cache-hints.ts";
import type { MethodReply } from "../connection/method.ts";
import { pageReply } from "./page-reply.ts";

/** `skills/list` of the skills extension (docs/spec/modern.md#skills). */
export async function handleSkillsList(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "skills").list(request.client);
  const hints = listCacheHints(connection.server.features, "skills");
  return pageReply(request, { name: "skills", entries, keyOf: ({ uri }) => uri }, (page) =>
    encodeSkillsList(page, request.version, hints),
  );
}
