import { access, constants, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

import { policyLookupsMax } from "../../../base/limits.ts";

/** The meaning of the words of a command, by the files of this system. */
export interface PathFacts {
  /** A word as a path: every path that it may mean, through symbolic links; the word itself is not among them. */
  pathsOf(word: string): readonly string[];
  /** Every path that this name of a program may mean, through symbolic links. */
  programsOf(name: string): readonly string[];
  /** Why there may be more paths than these, one clause; undefined when these are all. */
  readonly missing: string | undefined;
}

export interface PathFactsInput {
  /** Absolute folders that relative paths may begin at. */
  readonly folders: readonly string[];
  /** Folders of programs, as PATH has them. */
  readonly searchPath: readonly string[];
  readonly words: readonly string[];
  readonly programs: readonly string[];
}

/** Looks at the file system for all that will be asked; of more words than a person writes only the first ones are looked up. */
export async function readPathFacts(input: PathFactsInput): Promise<PathFacts> {
  const allWords = [...new Set(input.words)];
  const allPrograms = [...new Set(input.programs)];
  const isWhole = Math.max(allWords.length, allPrograms.length) <= policyLookupsMax;
  const words = allWords.slice(0, policyLookupsMax);
  const programs = allPrograms.slice(0, policyLookupsMax);
  const [paths, files] = await Promise.all([
    Promise.all(words.map((word) => pathsOf(word, input.folders))),
    Promise.all(programs.map((name) => programsOf(name, input))),
  ]);
  const byWord = new Map(words.map((word, index) => [word, paths[index] ?? []]));
  const byName = new Map(programs.map((name, index) => [name, files[index] ?? []]));
  return {
    pathsOf: (word) => byWord.get(word) ?? [],
    programsOf: (name) => byName.get(name) ?? [],
    missing: isWhole ? undefined : "it has more words than are looked up as paths",
  };
}

async function pathsOf(word: string, folders: readonly string[]): Promise<readonly string[]> {
  // Nothing longer is a path.
  if (word === "" || word.length > pathCharsMax || word.includes("\0")) return [];
  const meant = isAbsolute(word) ? [resolve(word)] : folders.map((folder) => resolve(folder, word));
  const real = await Promise.all([...meant, ...asWritten(word, folders)].map(realPathOf));
  return [...new Set([...meant, ...real])];
}

/** With its `..`, which leads elsewhere behind a symbolic link than it says. */
function asWritten(word: string, folders: readonly string[]): readonly string[] {
  if (!word.includes("..")) return [];
  return isAbsolute(word) ? [word] : folders.map((folder) => `${folder}/${word}`);
}

/** Of a file that is not there yet, that of its folder. */
async function realPathOf(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; missing.length < missingFoldersMax; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch {
      if (at === dirname(at)) return path;
      missing.unshift(basename(at));
    }
  }
  return path;
}

/** PATH_MAX of Linux, the longest there is. */
const pathCharsMax = 4096;
/** Folders of a path that are not there yet: each is a system call. */
const missingFoldersMax = 40;

async function programsOf(name: string, input: PathFactsInput): Promise<readonly string[]> {
  if (/[/\\]/.test(name)) return pathsOf(name, input.folders);
  for (const folder of input.searchPath) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    if (await isProgram(path)) return pathsOf(path, []);
  }
  return [];
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
