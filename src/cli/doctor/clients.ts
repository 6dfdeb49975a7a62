import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute, join } from "node:path";

import { messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { isObject } from "../../base/values.ts";
import { readEntry } from "../../install/edit/entry-text.ts";
import { readClientFile, textOf } from "../../install/file-change.ts";
import {
  type ClientFile,
  editableClients,
  fileOfClient,
  type Machine,
} from "../../install/find-client.ts";
import { type Entry, entryName, launchWords } from "../../install/install-targets.ts";
import { readForeignFile } from "../../upstream/import/read-foreign-file.ts";
import { type Finding, fault, note, ok, ownRemedy } from "./finding.ts";
import { interruptedChanges } from "./interrupted.ts";
import { programKind, startsHere } from "./program-kind.ts";

/** The clients that are here: whether each of them starts this program. */
export function clientFindings(
  machine: Machine,
  ownCommand: readonly string[],
  only: string | undefined,
  scorpioxDir: string,
): readonly Finding[] {
  if (only !== undefined && !editableClients.some(({ id }) => id === only)) {
    return [
      ok("clients", `${only} has no file that install edits: give it ${ownCommand.join(" ")}`),
    ];
  }
  const places = editableClients
    .filter(({ id }) => only === undefined || id === only)
    .flatMap((client) => fileOfClient(client, "user", machine) ?? [])
    .filter(({ isThere }) => isThere);
  const interrupted = interruptedChanges(scorpioxDir, only);
  if (places.length === 0 && interrupted.findings.length === 0) {
    const whose = only ?? "a client";
    return [
      note(
        "clients",
        `there is no sign of ${whose} on this machine`,
        `${product.name} install ${only ?? "CLIENT"} --create`,
      ),
    ];
  }
  const whole = places.filter(({ file }) => !interrupted.files.has(file));
  return [
    ...interrupted.findings,
    ...whole.flatMap((place) => findingsOf(place, ownCommand)),
    ...settingsFindings(machine),
  ];
}

function findingsOf(place: ClientFile, ownCommand: readonly string[]): readonly Finding[] {
  const { client, file } = place;
  const install = `${product.name} install ${client.id}`;
  try {
    const bytes = readClientFile(file);
    const entry = readEntry(file, textOf(bytes), client.home, entryName);
    const misplaced = bytes === undefined ? [] : misplacedFindings(place, install);
    if (entry === undefined) {
      return misplaced.length > 0
        ? misplaced
        : [note("clients", `${client.title} does not use ${product.name} (${file})`, install)];
    }
    return [...entryFindings(place, entry, ownCommand, install), ...doubleFindings(place)];
  } catch (error) {
    const text = `${client.title} cannot read ${file}: ${messageOf(error).replace(/^.*cannot be read: /, "")}`;
    const isForeign = messageOf(error).includes("EACCES");
    return [
      fault("clients", text, isForeign ? ownRemedy(file) : `repair ${file}, then ${install}`),
    ];
  }
}

/** The program that the entry starts. */
function entryFindings(
  { client, file }: ClientFile,
  entry: Entry,
  ownCommand: readonly string[],
  install: string,
): readonly Finding[] {
  const expected = client.entry(launchWords(client, ownCommand), entryName);
  const command = commandOf(entry);
  const about = `${client.title} (${file})`;
  if (command === undefined)
    return [fault("clients", `${about} has an entry without a command`, install)];
  const off = entry["disabled"] === true || entry["enabled"] === false;
  if (off)
    return [
      note("clients", `${about} has the entry switched off`, `switch it on in ${client.title}`),
    ];
  if (command.startsWith("~") || command.includes("$HOME")) {
    return [fault("clients", `${about} starts ${command}: clients do not expand it`, install)];
  }
  if (!isAbsolute(command)) {
    return [
      fault(
        "clients",
        `${about} starts ${command}, which a client without your shell's PATH does not find`,
        install,
      ),
    ];
  }
  if (!isProgram(command))
    return [fault("clients", `${about} starts ${command}, which cannot be started`, install)];
  const kind = programKind(command);
  if (!startsHere(kind)) {
    const text = `${about} starts ${command}, a program for ${kind ?? ""}: this is ${process.platform} ${process.arch}`;
    return [fault("clients", text, install)];
  }
  const expectedCommand = commandOf(expected);
  if (
    expectedCommand !== undefined &&
    command !== expectedCommand &&
    basename(command).startsWith(product.name)
  ) {
    return [note("clients", `${about} starts another copy: ${command}`, install)];
  }
  return [ok("clients", `${about} starts ${command}`)];
}

function commandOf(entry: Entry): string | undefined {
  const command = entry["command"] ?? entry["cmd"];
  const [first]: readonly unknown[] = Array.isArray(command) ? command : [command];
  return typeof first === "string" && first !== "" ? first : undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * The words and the variables with which the client's own entry starts this program; undefined without such an entry. So
 * the trial includes flags of the entry itself, such as an old one.
 */
export function entryLaunch(
  machine: Machine,
  id: string,
):
  | { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | undefined {
  const client = editableClients.find((each) => each.id === id);
  const place = client && fileOfClient(client, "user", machine);
  if (place?.isThere !== true) return undefined;
  try {
    const text = textOf(readClientFile(place.file));
    const entry = readEntry(place.file, text, place.client.home, entryName);
    const command = entry && commandOf(entry);
    if (entry === undefined || command === undefined || !isProgram(command)) return undefined;
    if (!startsHere(programKind(command))) return undefined;
    if (!basename(command).startsWith(product.name)) return undefined;
    return { words: [command, ...argumentsOf(entry)], env: variablesOf(entry) };
  } catch {
    // A finding says that the file cannot be read.
    return undefined;
  }
}

function argumentsOf({ command, args }: Entry): readonly string[] {
  const listed = Array.isArray(command) ? command.slice(1) : args;
  return Array.isArray(listed) ? listed.map(String) : [];
}

function variablesOf({ env, environment, envs }: Entry): Readonly<Record<string, string>> {
  const variables = env ?? environment ?? envs;
  const texts = Object.entries(isObject(variables) ? variables : {}).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}

/** An entry under a key that the client does not read: people paste the one of another client. */
function misplacedFindings({ client, file }: ClientFile, install: string): readonly Finding[] {
  const wrong = ["mcpServers", "servers", "mcp_servers", "context_servers"].filter(
    (key) => key !== client.home.path[0],
  );
  const text = textOf(readClientFile(file));
  const key = wrong.find((one) => {
    try {
      return readEntry(file, text, { kind: "map", path: [one] }, entryName) !== undefined;
    } catch {
      return false;
    }
  });
  if (key === undefined) return [];
  const right = client.home.path[0] ?? "";
  return [
    fault(
      "clients",
      `${client.title} reads ${right} of ${file}, and the entry is below ${key}`,
      install,
    ),
  ];
}

/** Findings about a server that both the client and scorpiox-code start: its processes and its tools are there twice. */
function doubleFindings({ client, file }: ClientFile): readonly Finding[] {
  const others = (readForeignFile(file, undefined) ?? []).filter(({ name, value }) => {
    if (name === entryName || !isObject(value)) return false;
    return basename(commandOf(value) ?? "").startsWith(product.name);
  });
  return others.map(({ name }) =>
    fault(
      "clients",
      `${client.title} starts ${product.name} twice: also as ${String(name)}`,
      `remove ${String(name)} from ${file}`,
    ),
  );
}

/** A file that Claude Code has, but does not read servers from. */
function settingsFindings({ dirs }: Machine): readonly Finding[] {
  const file = join(dirs.homeDir || homedir(), ".claude", "settings.json");
  try {
    const found = readEntry(
      file,
      textOf(readClientFile(file)),
      { kind: "map", path: ["mcpServers"] },
      entryName,
    );
    if (found === undefined) return [];
  } catch {
    return [];
  }
  return [
    fault(
      "clients",
      `Claude Code does not read MCP servers from ${file}`,
      `${product.name} install claude-code, and remove the entry there`,
    ),
  ];
}
