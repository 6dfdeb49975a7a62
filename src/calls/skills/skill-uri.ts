import { skillDescriptionCharsMax } from "../../base/limits.ts";
import type { PromptListing } from "../../protocol/prompts.ts";
import { type Skill, visibleLine } from "../../state/skills/skill.ts";
/** The target of a `skill://` URI. */
export interface SkillUri {
  readonly name: string;
  /** Parts of the path below the skill's folder; none for the folder itself. */
  readonly path: readonly string[];
}

const prefix = "skill://";

/** The URI of a file or folder of a skill. There is one way to write each, so that subscriptions compare texts. */
export function skillUri(name: string, path = "SKILL.md"): string {
  const parts = path === "" ? [name] : [name, ...path.split("/")];
  return prefix + parts.map(encodeURIComponent).join("/");
}

/** Undefined if it is not one, or is written in another way than `skillUri` does. */
export function readSkillUri(uri: string): SkillUri | undefined {
  if (!uri.startsWith(prefix) || !uri.isWellFormed()) return undefined;
  const parts = uri.slice(prefix.length).split("/").map(decoded);
  const [name, ...path] = parts;
  if (name === undefined || !parts.every(isPlainPart)) return undefined;
  return skillUri(name, path.join("/")) === uri ? { name, path } : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/** A part that names something in its folder and nothing else; a name that begins with a dot does not belong to a skill. */
function isPlainPart(part: string): boolean {
  // oxlint-disable-next-line no-control-regex -- file systems end names at NUL
  return part !== "" && !part.startsWith(".") && !/[/\\\u0000]/.test(part);
}

/** The entries for skills in `resources/templates/list`. */
export const skillTemplates = [
  {
    uriTemplate: "skill://{name}/{+path}",
    name: "skill-file",
    title: "File of a skill",
    description: "SKILL.md or another file of a skill.",
  },
] as const;

/** The one argument of a skill's prompt. */
export const skillArgumentName = "arguments";

/** The description of a skill in lists; a project's skill is marked as one. */
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
