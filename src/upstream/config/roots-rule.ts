import { isAbsolute, normalize, sep } from "node:path";

import { readStrings } from "./entry-launch.ts";
import { EntryFault, type RootsRule } from "./server-entry.ts";

/** What is no folder. */
export const rootsWords = ["none", "workspace", "client"] as const;

/**
 * The key `roots`: one of three words, or folders.
 * @throws EntryFault for anything else: it says what a server learns of the user's folders
 */
export function readRootsRule(value: unknown): RootsRule | undefined {
  if (value === undefined || value === null) return undefined;
  const word = rootsWords.find((each) => each === value);
  if (word !== undefined) return word;
  if (typeof value === "string") {
    throw new EntryFault(`has roots that is none of ${rootsWords.join(", ")}; folders are a list`);
  }
  const folders = readStrings(value, "roots");
  if (folders.length === 0) throw new EntryFault('has roots without a folder: "none" says that');
  if (folders.some((folder) => folder.trim() === "" || folder.includes("\0"))) {
    throw new EntryFault("has roots with a folder that is no path");
  }
  return folders;
}

/** Of a rule of the project's what narrows: folders inside the project, less than the client's. */
export function narrowRoots(rule: RootsRule | undefined): RootsRule | undefined {
  if (rule === undefined || rule === "client") return undefined;
  if (typeof rule === "string") return rule;
  const inside = rule.filter(isBelowHere);
  return inside.length === 0 ? "none" : inside;
}

/** From what tells a server nothing to what tells it most. */
function widthOf(rule: RootsRule): number {
  if (typeof rule !== "string") return 1;
  return { none: 0, workspace: 2, client: 3 }[rule];
}

/** The one that tells less; of two that name folders the first. */
export function narrowerRoots(first: RootsRule, second: RootsRule): RootsRule {
  return widthOf(second) < widthOf(first) ? second : first;
}

function isBelowHere(folder: string): boolean {
  const way = normalize(folder);
  return !isAbsolute(way) && !/^[~$]/.test(folder) && way !== ".." && !way.startsWith(`..${sep}`);
}
