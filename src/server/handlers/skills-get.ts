import { encodeSkill } from "../../protocol/skills-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import { listCacheHints } from "../context/list-cache-hints.ts";
import { invalidParams, type MethodReply, resultReply } from "../connection/method.ts";
import { readUriParam } from "./uri-param.ts";

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
