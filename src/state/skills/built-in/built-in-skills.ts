import { readSkill } from "../read-skill.ts";
import type { Skill } from "../skill.ts";
import { builtInTexts } from "./built-in-texts.ts";

/** The skills that are part of the program, by name. */
export const builtInSkills: readonly Skill[] = Object.entries(builtInTexts).map(([name, text]) =>
  readSkill({ name, origin: "built-in", folder: null }, text),
);

/** The SKILL.md of a skill that is built in; undefined for an unknown name. */
export function builtInText(name: string): string | undefined {
  return Object.hasOwn(builtInTexts, name)
    ? builtInTexts[name as keyof typeof builtInTexts]
    : undefined;
}
