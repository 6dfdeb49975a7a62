import connectServer from "./connect-server.txt" with { type: "text" };
import createSkill from "./create-skill.txt" with { type: "text" };
import writeHook from "./write-hook.txt" with { type: "text" };
import type { BuiltInName } from "./built-in-cards.ts";
import { readSkill } from "../read-skill.ts";
import type { Skill } from "../skill.ts";

/** The SKILL.md of each skill that is part of the program. */
const builtInTexts: Readonly<Record<BuiltInName, string>> = {
  "connect-server": connectServer,
  "create-skill": createSkill,
  "write-hook": writeHook,
};

/** The skills that are part of the program, by name. */
export const builtInSkills: readonly Skill[] = Object.entries(builtInTexts).map(([name, text]) =>
  readSkill({ name, origin: "built-in", folder: null }, text),
);

/** The SKILL.md of a skill that is built in; undefined for an unknown name. */
export function builtInText(name: string): string | undefined {
  return isBuiltIn(name) ? builtInTexts[name] : undefined;
}

function isBuiltIn(name: string): name is BuiltInName {
  return Object.hasOwn(builtInTexts, name);
}
