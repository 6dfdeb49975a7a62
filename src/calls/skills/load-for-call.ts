import { AppError } from "../../base/errors.ts";
import { loadSkill, skillResult, unknownSkill } from "../../state/skills/load-skill.ts";
import type { LoadedSkill, LoadSkillRequest } from "../../tools/state-services.ts";
import type { CallRequest } from "../call.ts";
import type { SkillView } from "./skill-view.ts";

/** The skill that InvokeSkill asks for. @throws AppError `not_found` with the nearest names, `refused`, `limit`, `system` */
export async function loadForCall(
  view: SkillView,
  { name, arguments: given }: LoadSkillRequest,
  { client }: CallRequest,
): Promise<LoadedSkill> {
  const { set, workspace } = await view.forUse(client);
  const skill = set.byName.get(name);
  if (skill === undefined) throw unknownSkill(name, set);
  if (!skill.isForModel) {
    throw new AppError(
      "refused",
      `The skill ${name} is for the user to start, as a prompt (disable-model-invocation). Ask the user to do that.`,
    );
  }
  const loaded = await loadSkill(skill, workspace, given);
  const { folder, files } = loaded;
  return { name, text: skillResult(loaded), folder, files };
}
