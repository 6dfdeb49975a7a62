import { skillNameCharsMax } from "../../base/limits.ts";

/** The form that agentskills.io prescribes. */
const properName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** What is read all the same. A name is a part of paths and URIs: no separators, no leading dot, nothing invisible. */
const usableName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_. -]*$/u;

/** True for what can be the name of a skill's folder. */
export function isSkillName(name: string): boolean {
  return (
    name.length <= skillNameCharsMax &&
    usableName.test(name) &&
    !/\p{DI}/u.test(name) &&
    !name.includes("..") &&
    !/[. ]$/.test(name)
  );
}

/** True for a name as the format prescribes it. */
export function isProperSkillName(name: string): boolean {
  return name.length <= skillNameCharsMax && properName.test(name);
}

/** Lists are the same in every locale: by code units. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
