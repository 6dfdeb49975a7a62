import { AppError } from "../base/errors.ts";
import { hideInArguments } from "../base/secrets.ts";
import type { ChangeLog, MovedServers } from "./change-log.ts";
import { type FileChange, readClientFile, recordOf, textOf } from "./file-change.ts";
import { readEntry } from "./edit/entry-text.ts";
import type { Entry, OwnCommand } from "./install-targets.ts";

/** How a client's own command ended. */
export interface CommandEnd {
  readonly exitCode: number;
  /** Its text on both streams. */
  readonly output: string;
}

/** Runs a program with these words and waits for its end. @throws {AppError} `system` when it cannot be started */
export type RunProgram = (words: readonly string[]) => Promise<CommandEnd>;

/** The commands that make `change`, as lists of words. A name that is taken is freed first: the client's command refuses it. */
export function commandWords(
  { program, add, remove }: OwnCommand,
  { entries }: Pick<FileChange, "entries">,
): readonly (readonly string[])[] {
  return entries.flatMap(({ name, before, after }) => [
    ...(before === undefined ? [] : [[program, ...remove(name)]]),
    ...(after === undefined ? [] : [[program, ...add(name, after)]]),
  ]);
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
 * @throws {AppError} `system` when the file does not have the wanted entries afterwards
 */
export async function applyByCommand(
  change: FileChange,
  command: OwnCommand,
  run: RunProgram,
  log: ChangeLog,
  moved?: MovedServers,
): Promise<void> {
  const { client, file, entries, undoes } = change;
  if (undoes === undefined) {
    const record = { ...recordOf(change, moved), before: null, after: null };
    log.add({ ...record, isByCommand: true }, undefined);
  }
  const said: string[] = [];
  for (const words of commandWords(command, change)) {
    const { exitCode, output } = await run(words);
    if (exitCode !== 0) said.push(`${commandLine(words)} ended with ${exitCode}: ${output.trim()}`);
  }
  const text = textOf(readClientFile(file));
  const isDone = entries.every(({ name, after }) =>
    isSameEntry(readEntry(file, text, client.home, name), after),
  );
  if (isDone) return undoes === undefined ? undefined : log.remove(undoes);
  const why = said.length === 0 ? "" : ` ${said.join("; ").slice(0, 1_000)}`;
  throw new AppError("system", `${client.title} did not take the change: ${file} lacks it.${why}`);
}

/** The command may add members of its own, such as an empty `env`. */
function isSameEntry(found: Entry | undefined, wanted: Entry | undefined): boolean {
  if (found === undefined || wanted === undefined) return found === wanted;
  return Object.entries(wanted).every(([key, value]) => Bun.deepEquals(found[key], value));
}
