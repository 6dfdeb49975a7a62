import { placeOf } from "../../state/skills/open-skill.ts";
import { listSkillFiles } from "../../state/skills/skill-files.ts";
import type { ClientContext } from "../call.ts";
import type { CompletionProvider, CompletionRequest } from "../features.ts";
import { matching, type SkillPrompts } from "./skill-prompts.ts";
import { skillTemplates } from "./skill-templates.ts";
import type { SkillView } from "./skill-view.ts";

/** Completes arguments of prompts, and the name and the path of a skill's file. */
export class SkillCompletion implements CompletionProvider {
  readonly #view: SkillView;
  readonly #prompts: SkillPrompts;

  constructor(view: SkillView, prompts: SkillPrompts) {
    this.#view = view;
    this.#prompts = prompts;
  }

  async complete(
    request: CompletionRequest,
    client: ClientContext,
  ): Promise<readonly string[] | undefined> {
    const { ref, argumentName, typed, others } = request;
    if (ref.kind === "prompt") return this.#prompts.complete(ref.name, request, client);
    const template = skillTemplates.find(({ uriTemplate }) => uriTemplate === ref.uriTemplate);
    if (template === undefined) return undefined;
    const { set } = await this.#view.forUse(client);
    if (argumentName === "name")
      return matching(
        set.skills.map(({ name }) => name),
        typed,
      );
    if (argumentName !== "path") return [];
    return matching(await this.#filesOf(others["name"] ?? "", client), typed);
  }

  async #filesOf(name: string, client: ClientContext): Promise<readonly string[]> {
    const { set, workspace } = await this.#view.forUse(client);
    const skill = set.byName.get(name);
    if (skill === undefined) return [];
    if (skill.folder === null) return ["SKILL.md"];
    try {
      return (await listSkillFiles(await placeOf(skill, workspace))).files;
    } catch {
      // It is gone by now.
      return [];
    }
  }
}
