import { skillDescriptionCharsMax } from "../../base/limits.ts";
import type { PromptListing } from "../../protocol/prompt-types.ts";
import type { Skill } from "../../skills/skill.ts";
import { visibleLine } from "../../skills/visible-text.ts";

/** The one argument of a skill's prompt. */
export const skillArgumentName = "arguments";

/** A skill as `prompts/list` shows it. */
export function skillPromptListing({
  name,
  description,
  argumentHint,
  origin,
}: Skill): PromptListing {
  const shown = visibleLine(description, skillDescriptionCharsMax);
  return {
    name,
    title: name,
    description: origin === "project" ? `(project) ${shown}` : shown,
    arguments: [
      {
        name: skillArgumentName,
        description: argumentHint ?? "Fills in $ARGUMENTS and $1 to $9 of the skill",
        required: false,
      },
    ],
  };
}
