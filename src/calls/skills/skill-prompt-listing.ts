import { skillDescriptionCharsMax } from "../../base/limits.ts";
import type { PromptListing } from "../../protocol/prompt-types.ts";
import type { Skill } from "../../state/skills/skill.ts";
import { visibleLine } from "../../state/skills/visible-text.ts";

/** The one argument of a skill's prompt. */
export const skillArgumentName = "arguments";

/** What lists say of a skill; of a project's also that it is one. */
export function shownDescription({ description, origin }: Skill): string {
  const shown = visibleLine(description, skillDescriptionCharsMax);
  return origin === "project" ? `(project) ${shown}`.trim() : shown;
}

/** A skill as `prompts/list` shows it. */
export function skillPromptListing(skill: Skill): PromptListing {
  const { name, argumentHint } = skill;
  return {
    name,
    title: name,
    description: shownDescription(skill),
    arguments: [
      {
        name: skillArgumentName,
        description: argumentHint ?? "Fills in $ARGUMENTS and $1 to $9 of the skill",
        required: false,
      },
    ],
  };
}
