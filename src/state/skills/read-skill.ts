import { skillDescriptionCharsMax } from "../../base/limits.ts";
import { parseFrontMatter, splitSkill } from "./front-matter.ts";
import type { FrontMatter, FrontMatterValue, Skill, SkillOrigin } from "./skill.ts";
import { isProperSkillName } from "./skill-name.ts";
import { visibleLine } from "./visible-text.ts";

/** Where a skill was found. */
export interface FoundSkill {
  readonly name: string;
  readonly origin: SkillOrigin;
  readonly folder: string | null;
}

/** Characters of a description that are kept (agentskills.io); lists cut it shorter. */
const descriptionCharsMax = 1_024;

/** What lists show of a skill. @param head the beginning of its SKILL.md, its front matter at least */
export function readSkill(found: FoundSkill, head: string): Skill {
  const { frontMatter: text, body, problem } = splitSkill(head);
  const parsed = text === undefined ? undefined : parseFrontMatter(text);
  const values: FrontMatter = parsed?.values ?? {};
  const written = textOf(values["description"]) ?? firstLine(body);
  const description = visibleLine(written, descriptionCharsMax);
  const hint = textOf(values["argument-hint"]);
  return {
    ...found,
    description,
    frontMatter: values,
    isForModel: values["disable-model-invocation"] !== true,
    isForUser: values["user-invocable"] !== false,
    argumentHint: hint === undefined ? null : visibleLine(hint, skillDescriptionCharsMax),
    problems: problemsOf(found.name, values, [problem, parsed?.problem]),
  };
}

/** `argument-hint: [issue]` is a list to YAML, and was meant as it is written. */
function textOf(value: FrontMatterValue | undefined): string | undefined {
  if (Array.isArray(value)) return `[${value.map(String).join(", ")}]`;
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** What a skill without a description is about: its first line that says something. */
function firstLine(body: string): string {
  for (const line of body.split("\n")) {
    const text = line.replace(/^[#\s]+/, "").trim();
    if (text !== "" && !/^-+$/.test(text)) return text;
  }
  return "";
}

function problemsOf(
  name: string,
  values: FrontMatter,
  written: readonly (string | undefined)[],
): readonly string[] {
  const given = values["name"];
  const shown = visibleLine(textOf(given) ?? "", 80);
  return [
    ...written.filter((problem) => problem !== undefined),
    ...(isProperSkillName(name)
      ? []
      : ["its folder's name should be lower-case letters, digits and single hyphens"]),
    ...(given === undefined ? ["its front matter has no name"] : []),
    ...(given === undefined || given === name
      ? []
      : [`its front matter calls it ${JSON.stringify(shown)}, but the folder's name is used`]),
    ...(textOf(values["description"]) === undefined
      ? ["its front matter has no description: its first line is used instead"]
      : []),
  ];
}
