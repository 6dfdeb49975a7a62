import { nearestName } from "../config/nearest-name.ts";
import { compareNames } from "./skill-name.ts";

/** Names to choose from, in an answer to a wrong one. */
const nearestMax = 5;

/** The names that `name` was probably meant to be: those it is a part of, and those that are spelt alike. */
export function nearestSkills(name: string, names: readonly string[]): readonly string[] {
  const typed = name.toLowerCase().trim();
  const near = new Set<string>();
  const containing = typed.length < 3 ? [] : names.filter((known) => isPart(typed, known));
  const left = new Set(names);
  while (near.size < nearestMax) {
    const nearest = nearestName(name, left) ?? containing.find((known) => left.has(known));
    if (nearest === undefined) break;
    near.add(nearest);
    left.delete(nearest);
  }
  return [...near].sort(compareNames);
}

function isPart(typed: string, known: string): boolean {
  const lower = known.toLowerCase();
  return lower.includes(typed) || (lower.length > 2 && typed.includes(lower));
}
