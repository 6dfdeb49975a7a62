import { isAbsolute, normalize, sep } from "node:path";

import { readStrings } from "./entry-launch.ts";
import { EntryFault, type RootsRule } from "./server-entry.ts";

/** The values that are not folders. */
export const rootsWords = ["none", "workspace", "client"] as const;

/**
 * The key `roots`: one of three words, or folders.
 * @throws EntryFault for anything else: the key decides which of the user's folders a server learns of
 */
export function readRootsRule(value: unknown): RootsRule | undefined {
  if (value === undefined || value === null) return undefined;
  const word = rootsWords.find((each) => each === value);
  if (word !== undefined) return word;
  if (typeof value === "string") {
    throw new EntryFault(
      `has an invalid roots: it must be one of ${rootsWords.join(", ")}, or a list of folders`,
    );
  }
  const folders = readStrings(value, "roots");
  if (folders.length === 0)
    throw new EntryFault('has an empty list of roots: write "none" for no folder');
  if (folders.some((folder) => folder.trim() === "" || folder.includes("\0"))) {
    throw new EntryFault("has a folder in roots that is not a path");
  }
  return folders;
}

/** The part of a project's rule that narrows: folders inside the project, fewer than the client's. */
export function narrowRoots(rule: RootsRule | undefined): RootsRule | undefined {
  if (rule === undefined || rule === "client") return undefined;
  if (typeof rule === "string") return rule;
  const inside = rule.filter(isBelowHere);
  return inside.length === 0 ? "none" : inside;
}

/** From the rule that shows a server the least to the one that shows the most. */
function widthOf(rule: RootsRule): number {
  if (typeof rule !== "string") return 1;
  return { none: 0, workspace: 2, client: 3 }[rule];
}

/** The rule that shows less; if both name folders, the first. */
export function narrowerRoots(first: RootsRule, second: RootsRule): RootsRule {
  return widthOf(second) < widthOf(first) ? second : first;
}

function isBelowHere(folder: string): boolean {
  const way = normalize(folder);
  return !isAbsolute(way) && !/^[~$]/.test(folder) && way !== ".." && !way.startsWith(`..${sep}`);
}
