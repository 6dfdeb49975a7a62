import { resolve } from "node:path";

import { literalOf, type ShellReading, type SimpleCommand } from "../shell/shell-command.ts";

/** Where relative paths lead is not known after `cd "$x"`. */
export function withFolders(reading: ShellReading | undefined): ShellReading | undefined {
  if (reading?.commands.some(goesAnywhere) !== true) return reading;
  return {
    ...reading,
    unknowns: [...reading.unknowns, "it goes to a folder that is known only when it runs"],
  };
}

/** Where relative paths may begin: the folder of the call, and those that the command goes to. */
export function foldersOf(
  commands: readonly SimpleCommand[],
  folder: string,
  homeDir: string,
): readonly string[] {
  let folders = [folder];
  for (const target of commands.flatMap((command) => targetOf(command, homeDir))) {
    const next = folders.map((from) => resolve(from, target));
    folders = [...new Set([...folders, ...next])].slice(0, foldersMax);
  }
  return folders;
}

/** What `cd` is told, if that is known. */
function targetOf({ words }: SimpleCommand, homeDir: string): readonly string[] {
  if (!changers.has(literalOf(words[0]))) return [];
  const target = literalOf(words.at(-1));
  if (words.length < 2) return [homeDir];
  return target === undefined ? [] : [target];
}

function goesAnywhere({ words }: SimpleCommand): boolean {
  return changers.has(literalOf(words[0])) && literalOf(words.at(-1)) === undefined;
}

const changers: ReadonlySet<string | undefined> = new Set(["cd", "pushd"]);
/** More than that nobody goes to in one command; each word is looked for in each of them. */
const foldersMax = 8;
