import { skillNameCharsMax } from "../../base/limits.ts";
import { nearestNames } from "../../config/nearest-name.ts";
import { compareNames } from "./skill-name.ts";

/** Names to choose from, in an answer to a wrong one. */
const nearestMax = 5;

/** The names that `name` was probably meant to be: those that are spelt alike, and those it is a part of. */
export function nearestSkills(name: string, names: readonly string[]): readonly string[] {
  // A phrase may hold a name; of a text of megabytes the beginning is enough.
  const typed = name
    .slice(0, skillNameCharsMax * 4)
    .toLowerCase()
    .trim();
  const containing = typed.length < 3 ? [] : names.filter((known) => isPart(typed, known));
  const near = new Set([...nearestNames(typed, names, nearestMax), ...containing]);
  return [...near].slice(0, nearestMax).sort(compareNames);
}

function isPart(typed: string, known: string): boolean {
  const lower = known.toLowerCase();
  return lower.includes(typed) || (lower.length > 2 && typed.includes(lower));
}
