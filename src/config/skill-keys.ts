import { isAbsolute, join } from "node:path";

import { booleanValue, type ConfigKey, type ValueType } from "./value-types.ts";
import { listParts } from "./web-value-types.ts";

/** Absolute, so that a list means the same folders from wherever the server was started. */
const pathListValue: ValueType<string> = {
  name: "path list",
  allowed: "absolute paths, or ones that begin with ~/, with commas between",
  parse(text, homeDir) {
    const paths = listParts(text).map((path) =>
      path.startsWith("~/") ? join(homeDir, path.slice(2)) : path,
    );
    const areUsable = paths.every((path) => isAbsolute(path) && !path.includes("\0"));
    return areUsable ? paths.join(",") : undefined;
  },
};

export const additionalSkillsKey: ConfigKey<string> = {
  name: "ADDITIONAL_SKILLS",
  type: pathListValue,
  help: "More folders with skills; skills of the workspace and of the user have priority.",
  project: "never",
  published: true,
};

export const skillKeys: readonly ConfigKey[] = [additionalSkillsKey];

/** The switch of the skill `skillName`: `SKILL_REVIEW_NOTES` for `review-notes`. */
export function skillKeyName(skillName: string): string {
  return `SKILL_${skillName.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

/** The key of this name, when it is the switch of a skill: there is one for each name that a skill may have. */
export function skillSwitchKey(name: string): ConfigKey<boolean> | undefined {
  if (!/^SKILL_[A-Z0-9_]{1,64}$/.test(name)) return undefined;
  return {
    name,
    type: booleanValue,
    default: true,
    whenBad: "false",
    help: "Offer this skill. Off: it is not listed and cannot be loaded.",
    project: "narrow",
    published: true,
  };
}
