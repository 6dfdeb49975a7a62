import { AppError, messageOf } from "../base/errors.ts";
import { hideInArguments } from "../base/secrets.ts";
import type { ChangeLog } from "./change-log.ts";
import { type FileChange, readClientFile, recordOf, textOf } from "./file-change.ts";
import { readEntry } from "./edit/entry-text.ts";
import type { Entry, OwnCommand } from "./install-targets.ts";

/** How a client's own command ended. */
export interface CommandEnd {
  readonly exitCode: number;
  /** What it printed, on both streams. */
  readonly output: string;
}

/** Runs a program with these words and waits for its end. @throws {AppError} `system` when it cannot be started */
export type RunProgram = (words: readonly string[]) => Promise<CommandEnd>;

/** The words that make `change` by the client's own command. */
export function commandWords(
  { program, add, remove }: OwnCommand,
  { name, entryAfter }: Pick<FileChange, "name" | "entryAfter">,
): readonly (readonly string[])[] {
  const removing = [program, ...remove(name)];
  return entryAfter === undefined ? [removing] : [[program, ...add(name, entryAfter)]];
}

/** The same as a person types it. */
export function commandLine(words: readonly string[]): string {
  return hideInArguments(words)
    .map((word) =>
      /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(" ");
}

/**
 * Makes the change by the client's own command and then reads its file, whatever the command said.
 * @throws {AppError} `system` when the file does not have the wanted entry afterwards
 */
export async function applyByCommand(
  change: FileChange,
  command: OwnCommand,
  run: RunProgram,
  log: ChangeLog,
): Promise<void> {
  const { client, file, name, entryAfter, entryBefore, undoes } = change;
  if (undoes === undefined) {
    log.add({ ...recordOf(change), before: null, after: null, isByCommand: true }, undefined);
  }
  // Its command refuses a name that is taken.
  const steps =
    entryBefore === undefined || entryAfter === undefined
      ? []
      : [[command.program, ...command.remove(name)]];
  const said: string[] = [];
  for (const words of [...steps, ...commandWords(command, change)]) {
    const { exitCode, output } = await run(words);
    if (exitCode !== 0) said.push(`${commandLine(words)} ended with ${exitCode}: ${output.trim()}`);
  }
  if (isSameEntry(entryNow(change), entryAfter)) {
    if (undoes !== undefined) log.remove(undoes);
    return;
  }
  const why = said.length === 0 ? "" : ` ${said.join("; ").slice(0, 1_000)}`;
  throw new AppError(
    "system",
    `${client.title} did not take the change: ${file} does not have it.${why}`,
  );
}

function entryNow({ client, file, name }: FileChange): Entry | undefined {
  try {
    return readEntry(file, textOf(file, readClientFile(file)), client.home, name);
  } catch (error) {
    throw new AppError("config", `${file} ${messageOf(error)}.`);
  }
}

/** The command may add members of its own, such as an empty `env`. */
function isSameEntry(found: Entry | undefined, wanted: Entry | undefined): boolean {
  if (found === undefined || wanted === undefined) return found === wanted;
  return Object.entries(wanted).every(([key, value]) => Bun.deepEquals(found[key], value));
}
