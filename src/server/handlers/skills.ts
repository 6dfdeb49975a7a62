import { encodeSkill, encodeSkillsList } from "../../protocol/skills.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { invalidParams, type MethodReply, resultReply } from "../connection/method.ts";
import { featureOf, listCacheHints, type ServedConnection } from "../context/server-context.ts";
import { pageReply } from "./handler-context.ts";
import { readUriParam } from "./resources.ts";

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

/** `skills/get` of the skills extension: one entry of the list, by the URI of its `SKILL.md` (docs/spec/modern.md#skills). */
export function handleSkillsGet(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const param = readUriParam(request.params);
  return param.kind === "refused" ? param.reply : find(param.uri, request, connection);
}

async function find(
  uri: string,
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const skills = await featureOf(connection, "skills").list(request.client);
  const skill = skills.find((entry) => entry.uri === uri);
  if (skill === undefined) return invalidParams("uri names no skill", { uri });
  const hints = listCacheHints(connection.server.features, "skills");
  return resultReply(encodeSkill(skill, request.version, hints));
}
