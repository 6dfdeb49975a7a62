import { encodeSkillsList } from "../../protocol/skills-codec.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { featureOf } from "../feature-of.ts";
import { listCacheHints } from "../list-cache-hints.ts";
import type { MethodReply } from "../method.ts";
import { pageReply } from "../page-reply.ts";

/** `skills/list` of the skills extension (modern.md section 13). */
export async function handleSkillsList(
  request: ActiveRequest,
  connection: Connection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "skills").list(request.client);
  const hints = listCacheHints(connection.server.features, "skills");
  return pageReply(request, { name: "skills", entries, keyOf: ({ uri }) => uri }, (page) =>
    encodeSkillsList(page, request.version, hints),
  );
}
