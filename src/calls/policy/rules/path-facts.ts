import { accessSync, lstatSync, realpathSync, type Stats } from "node:fs";
import { access, constants, realpath, stat, statfs } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { systemCodeOf } from "../../../base/errors.ts";
import { policyLookupsMax } from "../../../base/limits.ts";
import {
  baseNameOf,
  literalOf,
  type ShellReading,
  type SimpleCommand,
} from "../shell/shell-text.ts";

/** The meaning of the words of a command, by the files of this system. */
export interface PathFacts {
  /** A word as a path: every path that it may mean, through symbolic links; the word itself is not among them. */
  pathsOf(word: string): readonly string[];
  /** The program that this name may mean. */
  programOf(name: string): ProgramFacts;
  /** Why there may be more paths than these, one clause; undefined when these are all. */
  readonly missing: string | undefined;
}

interface ProgramFacts {
  /** Every path that it may have, through symbolic links. */
  readonly paths: readonly string[];
  /** Its names as rules have them: without a folder, and on Windows without the ending. */
  readonly names: readonly string[];
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
  const byName = new Map(
    programs.map((name, index) => [name, programFacts(name, files[index] ?? [])]),
  );
  return {
    pathsOf: (word) => byWord.get(word) ?? [],
    programOf: (name) => byName.get(name) ?? programFacts(name, []),
    missing: isWhole ? undefined : "it has more words than are looked up as paths",
  };
}

function programFacts(name: string, paths: readonly string[]): ProgramFacts {
  return { paths, names: [...new Set([name, ...paths].map(nameOf))] };
}

function nameOf(path: string): string {
  const base = baseNameOf(path.replaceAll("\\", "/"));
  return /\.exe$/i.test(base) ? base.slice(0, -4).toLowerCase() : base;
}

/** Where nothing was looked up. */
export const noFacts: PathFacts = {
  pathsOf: () => [],
  programOf: (name) => programFacts(name, []),
  missing: undefined,
};

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

/** The real path of a file; that of its folder when the file does not exist yet. */
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
    const answersNow = isLocal(folder) ?? (await lookIfLocal(folder));
    const found = (answersNow ? programNow(path) : undefined) ?? (await programLater(path));
    if (found.length > 0) return found;
  }
  return [];
}

/** None when there is no program. Undefined for a link, which may lead to the disk of another machine, and after an error. */
function programNow(path: string): readonly string[] | undefined {
  try {
    const stats: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    if (stats.isSymbolicLink()) return undefined;
    accessSync(path, constants.X_OK);
    return stats.isFile() ? [...new Set([path, realpathSync.native(path)])] : [];
  } catch {
    return undefined;
  }
}

async function programLater(path: string): Promise<readonly string[]> {
  return (await isProgram(path)) ? pathsOf(path, []) : [];
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** File systems of Linux, by their numbers, that answer from the memory of this machine or its own disk. */
const localTypes: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
  0x01021994, // tmpfs
  0x794c7630, // overlay
]);

/**
 * Whether folders of PATH are on such a file system: there a look takes some microseconds, and through another thread
 * some hundred. After another disk was mounted the answer is wrong for a minute at most.
 */
const locals = new Map<string, { readonly isLocal: boolean; readonly until: number }>();
const localsMax = 200;
const localMs = 60_000;

/** Undefined when that has to be looked up. */
function isLocal(folder: string): boolean | undefined {
  const known = locals.get(folder);
  return known !== undefined && performance.now() < known.until ? known.isLocal : undefined;
}

async function lookIfLocal(folder: string): Promise<boolean> {
  const isOwn = process.platform === "linux" && (await isOnLocalDisks(folder));
  if (locals.size >= localsMax) locals.clear();
  locals.set(folder, { isLocal: isOwn, until: performance.now() + localMs });
  return isOwn;
}

/** With every folder on the way: a link in the home folder of another machine may lead to a disk of this one. */
async function isOnLocalDisks(folder: string): Promise<boolean> {
  const onTheWay = new Set([
    ...withFoldersAbove(folder),
    ...withFoldersAbove(await realPathOf(folder)),
  ]);
  const areLocal = await Promise.all([...onTheWay].map(isLocalOrMissing));
  return areLocal.every((isOwn) => isOwn);
}

function withFoldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withFoldersAbove(above)];
}

/** A folder that is not there is looked for in the one above. */
async function isLocalOrMissing(folder: string): Promise<boolean> {
  try {
    return localTypes.has((await statfs(folder)).type >>> 0);
  } catch (error) {
    return systemCodeOf(error) === "ENOENT";
  }
}

/** The target of relative paths is unknown after `cd "$x"`, and in programs that `env -C dir` starts. */
export function withFolders(reading: ShellReading | undefined): ShellReading | undefined {
  const { commands = [] } = reading ?? {};
  const isKnown = !commands.some(startsElsewhere) && !goesAnywhere(commands);
  if (reading === undefined || isKnown) return reading;
  return {
    ...reading,
    unknowns: [...reading.unknowns, "it goes to a folder that is known only when it runs"],
  };
}

export interface Folders {
  readonly folders: readonly string[];
  /** Why there may be more than these; undefined when these are all. */
  readonly missing: string | undefined;
}

/** Where relative paths may begin: the folder of the call, and those that the command goes to. */
export function foldersOf(
  commands: readonly SimpleCommand[],
  folder: string,
  homeDir: string,
): Folders {
  let folders = [folder];
  for (const target of commands.flatMap((command) => targetOf(command, homeDir))) {
    const next = folders.map((from) => resolve(from, target));
    folders = [...new Set([...folders, ...next])];
    if (folders.length > foldersMax) {
      const missing = "it goes to more folders than are looked at";
      return { folders: folders.slice(0, foldersMax), missing };
    }
  }
  return { folders, missing: undefined };
}

/** The argument of `cd`, if that is known. */
function targetOf({ words }: SimpleCommand, homeDir: string): readonly string[] {
  if (!changers.has(literalOf(words[0]))) return [];
  const target = literalOf(words.at(-1));
  if (words.length < 2) return [homeDir];
  return target === undefined ? [] : [target];
}

function goesAnywhere(commands: readonly SimpleCommand[]): boolean {
  const going = commands.filter(({ words }) => changers.has(literalOf(words[0])));
  if (going.length === 0) return false;
  // `cd` believes these two.
  return going.some(isUnknownTarget) || commands.some(setsFolders);
}

function isUnknownTarget({ words }: SimpleCommand): boolean {
  const target = words.length < 2 ? "" : literalOf(words.at(-1));
  if (target === undefined || target === "-") return true;
  return target.includes("..") && words.some((word) => /^-[A-Za-z]*P/.test(literalOf(word) ?? ""));
}

function setsFolders({ words, assignments }: SimpleCommand): boolean {
  return (
    assignments.some((name) => /^(?:OLDPWD|CDPATH)$/.test(name)) ||
    words.some(({ pieces }) => /^(?:OLDPWD|CDPATH)(?:\+?=|$)/.test(pieces[0] ?? ""))
  );
}

/** Programs that start another one in a folder of its own, and the option for it. */
const startsIn: Readonly<Record<string, RegExp>> = {
  env: /^(?:-[a-zA-Z0]*C|--chdir)/,
  sudo: /^(?:-[a-zA-Z]*[DRi]|--(?:chdir|chroot|login))/,
  chroot: /^/,
};

function startsElsewhere({ words }: SimpleCommand): boolean {
  const name = baseNameOf(literalOf(words[0]) ?? "");
  const literals = words.slice(1).map((word) => literalOf(word) ?? "");
  if (name === "find") return literals.some((word) => /^-(?:execdir|okdir)$/.test(word));
  const option = Object.hasOwn(startsIn, name) ? startsIn[name] : undefined;
  if (option === undefined) return false;
  // The options of the other program are its own.
  const end = literals.findIndex(
    (word, index) => !word.startsWith("-") && !/^-[a-zA-Z]$/.test(literals[index - 1] ?? ""),
  );
  return literals.slice(0, end < 0 ? undefined : end + 1).some((word) => option.test(word));
}

const changers: ReadonlySet<string | undefined> = new Set(["cd", "pushd"]);

/** More than that nobody goes to in one command; each word is looked for in each of them. */
const foldersMax = 16;
