import type { FrontMatterValue } from "./skill.ts";

const namesMax = 32;
const argumentName = /^[A-Za-z_][\w-]{0,63}$/;

/**
 * The names of a skill's positional arguments: the key `arguments` of its front matter, a list or names with blanks or
 * commas between. `argument-hint` is for people and promises nothing.
 * @returns none when it has none, or when one of them could not appear in a text
 */
export function argumentNames(value: FrontMatterValue | undefined): readonly string[] {
  const names = typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : value;
  if (!Array.isArray(names) || names.length > namesMax) return [];
  const isUsable = (name: unknown): name is string =>
    typeof name === "string" && name !== "ARGUMENTS" && argumentName.test(name);
  return (names as readonly unknown[]).every(isUsable) ? (names as readonly string[]) : [];
}
