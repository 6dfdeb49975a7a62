import type { Dirent } from "node:fs";

import { skillsPerFolderMax } from "../../base/limits.ts";
import { firstByName } from "./first-by-name.ts";
import { isSkillName } from "./skill-name.ts";

/** The most names that a note lists of folders that cannot be skills. */
const unusableMax = 20;

type Entry = Pick<Dirent, "name" | "isFile">;

interface FolderNames {
  /** The first `skillsPerFolderMax`, sorted. */
  readonly usable: readonly string[];
  readonly usableCount: number;
  /** Some that cannot be the name of a skill, sorted. */
  readonly unusable: readonly string[];
}

/** The names in a folder that may be skills: no plain files, no names that begin with a dot. */
export async function folderNames(entries: readonly Entry[]): Promise<FolderNames> {
  const isUsable = (entry: Entry): boolean => mayBeSkill(entry) && isSkillName(entry.name);
  const isUnusable = (entry: Entry): boolean => mayBeSkill(entry) && !isSkillName(entry.name);
  const usable = await firstByName(entries, isUsable, skillsPerFolderMax);
  const unusable = await firstByName(entries, isUnusable, unusableMax);
  return {
    usable: usable.first.map(nameOf),
    usableCount: usable.count,
    unusable: unusable.first.map(nameOf),
  };
}

function mayBeSkill(entry: Entry): boolean {
  return !entry.name.startsWith(".") && !entry.isFile();
}

function nameOf({ name }: Entry): string {
  return name;
}
