import { hideInArguments } from "../base/secrets.ts";
import type { FileChange } from "./file-change.ts";
import type { OwnCommand } from "./install-targets.ts";

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

/** A command line as a person types it. */
export function commandLine(words: readonly string[]): string {
  return hideInArguments(words)
    .map((word) =>
      /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(" ");
}

/**
 * Makes the change by the client's own command. Returns what failed, in words: whether the file has the change its reader says.
 */
export async function runCommands(
  change: FileChange,
  command: OwnCommand,
  run: RunProgram,
): Promise<string> {
  const said: string[] = [];
  for (const words of commandWords(command, change)) {
    const { exitCode, output } = await run(words);
    if (exitCode !== 0) said.push(`${commandLine(words)} ended with ${exitCode}: ${output.trim()}`);
  }
  return said.join("; ").slice(0, 1_000);
}
