import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../base/errors.ts";
import { isInside, realPathOf } from "../base/paths.ts";
import { product } from "../base/product.ts";
import { escapeName } from "../base/unsafe-characters.ts";
import { suggestionFor } from "../config/nearest-name.ts";
import type { AddedServers } from "../upstream/edit/edit-server-file.ts";
import { filesOfClient, importClients } from "../upstream/import/client-files.ts";
import type { Dialect } from "../upstream/import/foreign-entry.ts";
import type { ImportStep } from "../upstream/import/plan-import.ts";
import type { Printer } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import type { StartUp } from "./start-up.ts";
import { entryLines, type ServerFile, shownEntry, warnOfSecrets } from "./typed-server.ts";

/** Clients whose servers can be imported. */
export const importClientIds = importClients.map(({ id }) => id);

/** The steps of an import, and its outcome. */
interface ImportReport {
  readonly source: ImportSource;
  readonly steps: readonly ImportStep[];
  readonly place: ServerFile;
  /** Undefined: nothing was to be written. */
  readonly done: AddedServers | undefined;
}

export function reportImport(
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
  /** The files that exist. */
  readonly files: readonly string[];
  readonly dialect: Dialect;
}

/**
 * A file, or the files of a client. Servers that a project names for another client do not become the user's own, which start
 * without being approved, unless the user names the very file.
 * @throws {AppError} `not_found`
 */
export function importSourceOf(
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
