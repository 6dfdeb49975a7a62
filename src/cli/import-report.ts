import { product } from "../base/product.ts";
import { escapeName } from "../base/unsafe-characters.ts";
import type { AddedServers } from "../upstream/edit/edit-server-file.ts";
import type { ImportStep } from "../upstream/import/plan-import.ts";
import type { CommandContext } from "./command.ts";
import type { ImportSource } from "./import-source.ts";
import type { ServerFile } from "./mcp-scope.ts";
import type { Printer } from "./print.ts";
import { entryLines, shownEntry } from "./shown-entry.ts";
import { warnOfSecrets } from "./typed-server.ts";

/** The steps of an import, and its outcome. */
export interface ImportReport {
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
