import type { Dirent } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

import { skillNamesAtOnceMax, skillsPerFolderMax } from "../base/limits.ts";
import { compareNames, isSkillName } from "./skill-name.ts";

/** Of what cannot be a skill's name so much is told. */
const unusableMax = 20;

type Entry = Pick<Dirent, "name" | "isFile">;

interface FolderNames {
  /** The first `skillsPerFolderMax`, sorted. */
  readonly usable: readonly string[];
  readonly usableCount: number;
  /** Some that cannot be the name of a skill, sorted. */
  readonly unusable: readonly string[];
}

/**
 * The names of all that may be a skill among what a folder holds: no plain files, nothing that begins with a dot. However
 * many there are, the thread is held up for about a millisecond at a time.
 */
export async function folderNames(entries: readonly Entry[]): Promise<FolderNames> {
  let [usable, unusable]: [string[], string[]] = [[], []];
  let usableCount = 0;
  for (let start = 0; start < entries.length; start += skillNamesAtOnceMax) {
    if (start > 0) await nextTurn();
    const names = entries
      .slice(start, start + skillNamesAtOnceMax)
      .filter(mayBeSkill)
      .map(nameOf);
    const good = names.filter((name) => isSkillName(name));
    const bad = names.filter((name) => !isSkillName(name));
    usableCount += good.length;
    usable = firstOf([...usable, ...good], skillsPerFolderMax);
    unusable = firstOf([...unusable, ...bad], unusableMax);
  }
  return { usable, usableCount, unusable };
}

function mayBeSkill(entry: Entry): boolean {
  return !entry.name.startsWith(".") && !entry.isFile();
}

function nameOf({ name }: Entry): string {
  return name;
}

function firstOf(names: string[], countMax: number): string[] {
  return names.sort(compareNames).slice(0, countMax);
}
