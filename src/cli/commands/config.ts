import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { setInEnvFile, unsetInEnvFile } from "../../config/env-file.ts";
import { activeProfileKey, configKeys, findConfigKey } from "../../config/keys.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { configFolders } from "../../config/places.ts";
import { listProfiles } from "../../config/profiles.ts";
import { type ConfigEntry, refusalOfProject, refusalOfValue } from "../../config/resolution.ts";
import { columns, exitCodes, type Printer } from "../command-io.ts";
import type { Command } from "../command.ts";
import {
  entriesOfScope,
  fileOfScope,
  jsonEntry,
  jsonLevel,
  keyScopeFlag,
  noteStrongerSource,
  sourceText,
  userScopeFlag,
} from "../config-file-scope.ts";
import { directoryFlags, jsonFlag, startUpFlags } from "../flags.ts";
import { readStartUp, startUp } from "../start-up.ts";

export const configGetCommand: Command = {
  usage: "KEY [--show-source] [--scope user|claude|project] [--json]",
  description: "Prints the value in effect. With --scope, the value in that file.",
  flags: {
    "show-source": { kind: "switch", help: "Say where the value comes from." },
    ...keyScopeFlag,
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 1, max: 1 },
  needsPerson: false,
  async run({ args, io, print }) {
    const { config, dirs } = startUp(args, io, print);
    const [key = ""] = args.positionals;
    const scope = args.text("scope");
    const entries = scope === undefined ? config.entries() : entriesOfScope(scope, dirs);
    const entry = entries.find((candidate) => candidate.key === key);
    if (entry === undefined) throw notFound(key, entries);
    if (args.has("json")) print.json(jsonEntry(entry));
    else if (!args.has("show-source")) print.line(entry.value);
    else print.line(`${entry.value}  # ${sourceText(entry.source)}`);
    return exitCodes.done;
  },
};

function notFound(key: string, entries: readonly ConfigEntry[]): AppError {
  if (findConfigKey(key) !== undefined) return new AppError("not_found", `${key} is not set.`);
  const known = [...configKeys.keys(), ...entries.map((entry) => entry.key)];
  return new AppError("not_found", `There is no key ${key}.${suggestionFor(key, known)}`);
}

export const configListCommand: Command = {
  usage: "[--show-source] [--all] [--scope user|claude|project] [--http] [--json]",
  description:
    "Lists every key that has a value. With --scope, the values in that file, whether or not they are in effect. With --http, what\n" +
    "http.toml and the environment say to serve --http.",
  flags: {
    "show-source": { kind: "switch", help: "Say where each value comes from." },
    http: { kind: "switch", help: "List the settings of serve --http instead." },
    all: { kind: "switch", help: "Also list keys that this version does not use." },
    ...keyScopeFlag,
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print }) {
    const { config, dirs } = startUp(args, io, print);
    const scope = args.text("scope");
    const entries = args.has("http")
      ? (await import("../http-settings.ts")).httpEntries(io, dirs.scorpioxDir)
      : scope === undefined
        ? config.entries()
        : entriesOfScope(scope, dirs);
    const shown = entries.filter((entry) => entry.use === "used" || args.has("all"));
    if (args.has("json")) print.json(shown.map(jsonEntry));
    else printLines(shown, args.has("show-source"), print);
    return exitCodes.done;
  },
};

function printLines(entries: readonly ConfigEntry[], withSource: boolean, print: Printer): void {
  const lines = entries.map((entry) => `${entry.key}=${entry.value}`);
  const width = Math.max(0, ...lines.map((line) => Math.min(line.length, 40)));
  for (const [index, entry] of entries.entries()) {
    const line = lines[index] ?? "";
    const notes = [
      ...(withSource ? [sourceText(entry.source)] : []),
      ...(entry.use === "used" ? [] : ["not used by this version"]),
    ];
    print.line(notes.length === 0 ? line : `${line.padEnd(width)}  # ${notes.join("; ")}`);
  }
}

export const configSetCommand: Command = {
  usage: "KEY VALUE [--scope user|claude|project]",
  description:
    "Writes KEY=VALUE into a scorpiox-env.txt, by default the one in ~/.scorpiox.\n" +
    "Comments, order and other lines of the file stay as they are.",
  examples: ["config set TOOL_WEBSEARCH off", "config set SANDBOX workspace-write --scope project"],
  flags: { ...keyScopeFlag, ...directoryFlags },
  arguments: { min: 1, max: 2 },
  needsPerson: true,
  async run({ args, io, print }) {
    const [key, value] = readPair(args.positionals);
    const scope = args.text("scope");
    const start = readStartUp(args, io);
    checkAssignment(key, value, scope === "project", io.homeDir);
    const target = fileOfScope(scope, start.dirs);
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

export const configRemoveCommand: Command = {
  usage: "KEY [--scope user|claude|project]",
  description: "Removes KEY from a scorpiox-env.txt, by default the one in ~/.scorpiox.",
  flags: { ...keyScopeFlag, ...directoryFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run({ args, io, print }) {
    const [key = ""] = args.positionals;
    const target = fileOfScope(args.text("scope"), readStartUp(args, io).dirs);
    if (!unsetInEnvFile(target, key)) {
      throw new AppError("not_found", `${key} is not set in ${target.file}`);
    }
    print.note(`${key} is removed from ${target.file}`);
    noteStrongerSource(key, target.file, readStartUp(args, io).config, print);
    return exitCodes.done;
  },
};

export const profileListCommand: Command = {
  usage: "[--json]",
  description: "Lists the profiles: the files scorpiox-env/*.txt; * marks the active one.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print }) {
    const { config, dirs } = startUp(args, io, print);
    const profiles = listProfiles(configFolders(dirs)).map((profile) => ({
      ...profile,
      level: jsonLevel(profile.level),
      active: profile.name === config.settings.activeProfile,
    }));
    if (args.has("json")) print.json(profiles);
    else if (profiles.length === 0) print.note("There are no profiles.");
    else {
      const rows = profiles.map(
        ({ name, file, active }) => [`${active ? "*" : " "} ${name}`, file] as const,
      );
      print.line(columns(rows).join("\n"));
    }
    return exitCodes.done;
  },
};

export const profileOffCommand: Command = {
  usage: "[--scope user|claude]",
  description: "Uses no profile, from the next start on.",
  flags: { ...userScopeFlag, ...directoryFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: true,
  async run({ args, io, print }) {
    const target = fileOfScope(args.text("scope"), readStartUp(args, io).dirs);
    const wasSet = unsetInEnvFile(target, activeProfileKey.name);
    const what = wasSet ? "no profile is selected any more in" : "no profile was selected in";
    print.note(`${what} ${target.file}`);
    noteStrongerSource(activeProfileKey.name, target.file, readStartUp(args, io).config, print);
    return exitCodes.done;
  },
};

export const profileUseCommand: Command = {
  usage: "NAME [--scope user|claude]",
  description: "Makes NAME the active profile, from the next start on.",
  flags: { ...userScopeFlag, ...directoryFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run({ args, io, print }) {
    const [name = ""] = args.positionals;
    const { dirs } = readStartUp(args, io);
    const names = listProfiles(configFolders(dirs)).map((profile) => profile.name);
    if (!names.includes(name)) throw unknownProfile(name, names, dirs.scorpioxDir);
    const target = fileOfScope(args.text("scope"), dirs);
    setInEnvFile(target, activeProfileKey.name, name);
    print.note(`the active profile is ${name}, set in ${target.file}`);
    noteStrongerSource(activeProfileKey.name, target.file, readStartUp(args, io).config, print);
    return exitCodes.done;
  },
};

function unknownProfile(name: string, names: readonly string[], scorpioxDir: string): AppError {
  const known =
    names.length === 0
      ? ` A profile is a file: ${join(scorpioxDir, "scorpiox-env", "<name>.txt")}`
      : ` There are: ${names.join(", ")}`;
  return new AppError(
    "not_found",
    `There is no profile ${name}.${suggestionFor(name, names) || known}`,
  );
}
