import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import {
  skillDirDepthMax,
  skillDirsMax,
  skillEntriesMax,
  skillFilePathsCharsMax,
  skillFilesMax,
  skillNamesAtOnceMax,
} from "../../base/limits.ts";
import { turnOfLoop } from "../../base/turns.ts";
import { unsafeCharacters } from "../../base/unsafe-characters.ts";
import { compareNames } from "./skill.ts";

export interface SkillFiles {
  /** Paths relative to the skill's folder, with `/`, sorted. */
  readonly files: readonly string[];
  /** True when there are more: the bounds were met. */
  readonly isCut: boolean;
}

interface Walk {
  readonly files: string[];
  dirsLeft: number;
  charsLeft: number;
  isCut: boolean;
}

/**
 * The files of a skill. Links are not followed and not listed, nor is anything whose name begins with a dot: files of
 * an editor or of Git are not part of the skill. Nor are names with invisible characters.
 * @param folder a real path
 */
export async function listSkillFiles(folder: string): Promise<SkillFiles> {
  const walk: Walk = {
    files: [],
    dirsLeft: skillDirsMax,
    charsLeft: skillFilePathsCharsMax,
    isCut: false,
  };
  await visit(folder, "", 0, walk);
  return { files: walk.files.sort(compareNames), isCut: walk.isCut };
}

async function visit(folder: string, prefix: string, depth: number, walk: Walk): Promise<void> {
  if (walk.dirsLeft === 0 || depth > skillDirDepthMax) {
    walk.isCut = true;
    return;
  }
  walk.dirsLeft -= 1;
  for (const entry of await entriesOf(join(folder, prefix))) {
    if (walk.files.length >= skillFilesMax || walk.charsLeft <= 0) {
      walk.isCut = true;
      return;
    }
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) await visit(folder, `${path}/`, depth + 1, walk);
    else {
      walk.files.push(path);
      walk.charsLeft -= path.length;
    }
  }
}

/** The files and folders directly in `dir`, the first `skillEntriesMax` by name; empty when it cannot be read. */
export async function entriesOf(dir: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    return (await firstByName(entries, isShown, skillEntriesMax)).first;
  } catch {
    return [];
  }
}

function isShown(entry: Dirent): boolean {
  const { name } = entry;
  if (name.startsWith(".") || !name.isWellFormed() || /[\\\n\t]/.test(name)) return false;
  if (name.search(unsafeCharacters) !== -1) return false;
  return entry.isFile() || entry.isDirectory();
}

interface Named {
  readonly name: string;
}

interface FirstByName<Entry> {
  /** Sorted. */
  readonly first: readonly Entry[];
  /** How many there are of all that are wanted. */
  readonly count: number;
}

/**
 * The first `countMax` by name of the entries that are wanted. However many there are, the thread is held up for about a
 * millisecond at a time.
 */
export async function firstByName<Entry extends Named>(
  entries: readonly Entry[],
  isWanted: (entry: Entry) => boolean,
  countMax: number,
): Promise<FirstByName<Entry>> {
  let first: Entry[] = [];
  let count = 0;
  for (let start = 0; start < entries.length; start += skillNamesAtOnceMax) {
    if (start > 0) await turnOfLoop();
    const wanted = entries.slice(start, start + skillNamesAtOnceMax).filter(isWanted);
    count += wanted.length;
    first = [...first, ...wanted].sort((a, b) => compareNames(a.name, b.name)).slice(0, countMax);
  }
  return { first, count };
}
