import { AppError } from "../../base/errors.ts";
import { configKeys, findConfigKey } from "../../config/keys.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { refusalOfProject, refusalOfValue } from "../../config/resolution.ts";
import { setInEnvFile } from "../../config/write-env-file.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { fileOfLevel, levelFlag } from "../config-file-level.ts";
import type { Printer } from "../print.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";
import { noteStrongerSource } from "../stronger-source.ts";

export const configSetCommand: Command = {
  usage: "KEY VALUE [--level global|user|project]",
  description:
    "Writes KEY=VALUE into a scorpiox-env.txt, by default the one in ~/.scorpiox.\n" +
    "Comments, order and other lines of the file stay as they are.",
  flags: { ...levelFlag, ...directoryFlags },
  arguments: { min: 1, max: 2 },
  needsPerson: true,
  async run({ args, io, print }) {
    const [key, value] = readPair(args.positionals);
    const level = args.text("level");
    const start = readStartUp(args, io);
    checkAssignment(key, value, level === "project", io.homeDir);
    const target = fileOfLevel(level, start.dirs);
    setInEnvFile(target, key, value);
    report(print, target.file, key);
    noteStrongerSource(key, target.file, readStartUp(args, io).config, print);
    return exitCodes.done;
  },
};

/** `KEY VALUE` or `KEY=VALUE`. */
function readPair(words: readonly string[]): [string, string] {
  const [first = "", second] = words;
  if (second !== undefined) return [first, second.trim()];
  const equals = first.indexOf("=");
  if (equals === -1) throw new AppError("usage", `config set: the value of ${first} is missing.`);
  return [first.slice(0, equals).trim(), first.slice(equals + 1).trim()];
}

/** Rejects values that reading would reject: a file written here never gives a warning later. */
function checkAssignment(key: string, value: string, inProject: boolean, homeDir: string): void {
  const known = findConfigKey(key);
  if (known === undefined) {
    const suggestion = suggestionFor(key, configKeys.keys());
    throw new AppError("not_found", `There is no key ${key}.${suggestion}`);
  }
  const parsed = known.type.parse(value, homeDir);
  if (parsed === undefined) throw new AppError("usage", refusalOfValue(known, value));
  const refusal = inProject ? refusalOfProject(known, undefined, parsed) : undefined;
  if (refusal !== undefined) throw new AppError("usage", refusal);
}

function report(print: Printer, file: string, key: string): void {
  print.note(`${key} is set in ${file}`);
}
