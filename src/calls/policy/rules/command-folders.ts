import { resolve } from "node:path";

import {
  baseNameOf,
  literalOf,
  type ShellReading,
  type SimpleCommand,
} from "../shell/shell-command.ts";

/** Where relative paths lead is not known after `cd "$x"`, and in what `env -C dir` starts. */
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

/** What `cd` is told, if that is known. */
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

/** Programs that start another one in a folder of its own, and what says so among their options. */
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
