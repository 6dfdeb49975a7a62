import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { AppError } from "../../base/errors.ts";
import { isInside, realPathOf } from "../../base/paths.ts";
import { product } from "../../base/product.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { type AddedServers, addServers } from "../../upstream/edit/edit-server-file.ts";
import { filesOfClient, importClients } from "../../upstream/import/client-files.ts";
import type { Dialect } from "../../upstream/import/foreign-entry.ts";
import { planImport, type ImportStep } from "../../upstream/import/plan-import.ts";
import { readForeignFile } from "../../upstream/import/read-foreign-file.ts";
import { exitCodes, type Printer } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, jsonFlag } from "../flags.ts";
import { readStartUp, type StartUp } from "../start-up.ts";
import { installServers, runnerOf } from "../store-servers.ts";
import { createAsker } from "../terminal-io.ts";
import {
  scopeFlags,
  serverFileOf,
  entryLines,
  type ServerFile,
  shownEntry,
  warnOfSecrets,
} from "../typed-server.ts";

/** Clients whose servers can be imported. */
const importClientIds = importClients.map(({ id }) => id);

export const mcpImportCommand: Command = {
  usage: "CLIENT|FILE [--dry-run] [--scope project|user] [FLAGS]",
  description:
    "Imports the MCP servers of another client, or of a configuration file. Starts nothing. Permissions to run tools without\n" +
    `asking are not imported. Clients: ${importClientIds.join(", ")}.`,
  examples: ["mcp import cursor -s user --dry-run"],
  flags: {
    "dry-run": { kind: "switch", help: "Show the entries without writing them." },
    install: {
      kind: "switch",
      help: "Fetch their packages (npx, uvx, docker, …) now, without asking.",
    },
    force: { kind: "switch", help: "Replace servers that are already in the file." },
    ...scopeFlags,
    ...jsonFlag,
    ...directoryFlags,
  },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args, io } = context;
    const start = readStartUp(args, io);
    const place = serverFileOf(args, start.dirs, io.cwd);
    const source = importSourceOf(args.positionals[0] ?? "", context, start, place);
    const raws = source.files.flatMap((file) => readForeignFile(file, start.dirs.projectDir) ?? []);
    const parts = configPartsOf(start, io.env);
    const steps = planImport(raws, source.dialect, place.origin, parts);
    const entries = new Map(
      steps.flatMap((step) => (step.kind === "take" ? [[step.name, step.entry] as const] : [])),
    );
    const isDryRun = args.has("dry-run");
    const isForced = args.has("force");
    const done = isDryRun ? undefined : await addServers(place.target, entries, isForced);
    reportImport(context, { source, steps, place, done });
    if (done !== undefined) await installWritten(context, start, done);
    return exitCodes.done;
  },
};

/** Fetches packages of servers that need no approval: those of a project are fetched when they are approved. */
async function installWritten(
  context: CommandContext,
  start: StartUp,
  { added, replaced }: AddedServers,
): Promise<void> {
  const { args, io, print } = context;
  const names = new Set([...added, ...replaced]);
  const { servers } = loadUpstreamConfig(configPartsOf(start, io.env));
  const wanted = [...servers.values()].filter(
    (server) =>
      names.has(server.entry.name) &&
      server.entry.origin.trust === "user" &&
      runnerOf(server) !== undefined,
  );
  if (wanted.length === 0) return;
  const named = wanted.map(({ entry }) => entry.name).join(", ");
  const ask = async (): Promise<boolean> =>
    io.stdinIsTerminal &&
    !args.has("json") &&
    createAsker(io)(`Fetch the packages of ${named} now?`);
  if (args.has("install") || (await ask())) return installServers(context, start, wanted);
  print.note(
    `The packages of ${named} are fetched at the first start. To fetch them now, add --install`,
  );
}

/** The steps of an import, and its outcome. */
interface ImportReport {
  readonly source: ImportSource;
  readonly steps: readonly ImportStep[];
  readonly place: ServerFile;
  /** Undefined: nothing was to be written. */
  readonly done: AddedServers | undefined;
}

function reportImport(
  { args, print }: CommandContext,
  { source, steps, place, done }: ImportReport,
): void {
  const { file } = place.target;
  if (args.has("json")) {
    const servers = steps.map((step) => jsonOf(step, done));
    print.json({ from: source.files, file, dryRun: done === undefined, servers });
  } else {
    for (const step of steps) showStep(step, done, print);
  }
  for (const step of steps) {
    if (step.kind === "take") warnOfSecrets(step.name, step.entry, place, print);
  }
  const count = done === undefined ? 0 : done.added.length + done.replaced.length;
  if (steps.length === 0) print.note(`There are no servers in ${source.files.join(", ")}`);
  else if (done === undefined)
    print.note(`Nothing was written; without --dry-run this is written to ${file}`);
  else print.note(`${count} of ${steps.length} written to ${file}`);
  if (count > 0 && place.origin.trust === "project") {
    print.note(`Review and approve them: ${product.name} mcp approve`);
  }
}

function showStep(step: ImportStep, done: AddedServers | undefined, print: Printer): void {
  if (step.kind === "skip") {
    print.row(`# skipped: ${step.name} ${step.reason}`);
    return;
  }
  if (done?.kept.includes(step.name) === true) {
    print.row(`# kept: ${step.name} is already in the file; replace it with --force`);
    return;
  }
  for (const line of entryLines(step.name, step.entry)) print.line(line);
  for (const note of step.notes) print.warning(`${escapeName(step.name)} ${note}`);
}

function jsonOf(step: ImportStep, done: AddedServers | undefined): unknown {
  if (step.kind === "skip") return { name: step.name, action: "skip", reason: step.reason };
  const { name, entry, notes } = step;
  const action = done?.kept.includes(name)
    ? "keep"
    : done?.replaced.includes(name)
      ? "replace"
      : "add";
  return { name, action, notes, entry: shownEntry(entry) };
}

interface ImportSource {
  /** Those that exist. */
  readonly files: readonly string[];
  readonly dialect: Dialect;
}

/**
 * A file, or the files of a client. Servers that a project names for another client do not become the user's own, which start
 * without being approved, unless the user names the very file.
 * @throws {AppError} `not_found`
 */
function importSourceOf(
  word: string,
  { io, print }: CommandContext,
  start: StartUp,
  place: ServerFile,
): ImportSource {
  const client = importClients.find(({ id }) => id === word.toLowerCase());
  if (client === undefined) {
    const file = resolve(io.cwd, word);
    if (existsSync(file)) return { files: [file], dialect: {} };
    const message = `${word} is neither a file nor a client.${suggestionFor(word, importClientIds)} Clients: ${importClientIds.join(", ")}`;
    throw new AppError("not_found", message);
  }
  const candidates = filesOfClient(client, start.dirs, io.env, process.platform);
  const found = [...new Set(candidates)].filter((file) => existsSync(file));
  const isLeft = (file: string): boolean => place.origin.trust === "user" && isOf(file, start);
  const left = found.filter(isLeft);
  for (const file of left) {
    print.note(
      `${file} is skipped: it belongs to the project. If you trust it, name the file itself: ${product.name} mcp import ${file} --scope user`,
    );
  }
  const files = found.filter((file) => !isLeft(file));
  if (files.length > 0) return { files, dialect: client.dialect ?? {} };
  if (left.length > 0) {
    throw new AppError("not_found", `${client.title} has no user configuration here.`);
  }
  const places = candidates.map((file) => `\n  ${file}`).join("");
  throw new AppError("not_found", `${client.title} has no configuration here. Searched:${places}`);
}

function isOf(file: string, { dirs: { projectDir } }: StartUp): boolean {
  return projectDir !== undefined && isInside(realPathOf(file), realPathOf(projectDir));
}
