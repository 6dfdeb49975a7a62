import { setTimeout as sleep } from "node:timers/promises";

import { AppError, messageOf } from "../../base/errors.ts";
import type { CommandEnd } from "../../install/client-command.ts";

/** A client's own command takes a second or two; some start a runtime first. */
const programMsMax = 60_000;
/** More than any says. */
const outputCharsMax = 100_000;

/**
 * Runs a program of the user's and waits for its end, not for processes that outlive it. It gets no input, and is ended
 * after a minute.
 * @throws {AppError} `system` when it cannot be started
 */
export async function runClientProgram(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<CommandEnd> {
  try {
    const child = Bun.spawn([...words], {
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: programMsMax,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
    const [stdout, stderr] = await Promise.all([
      outputOf(child, child.stdout, outputCharsMax),
      outputOf(child, child.stderr, outputCharsMax),
    ]);
    const exitCode = await child.exited;
    return { exitCode, output: `${stdout}${stderr}`.slice(0, outputCharsMax) };
  } catch (error) {
    throw new AppError("system", `${words[0] ?? ""} cannot be started: ${messageOf(error)}`);
  }
}

/** The last output of a process may still be on its way when the process has ended. */
const restMs = 500;

/**
 * The first characters of a child's output, until the child has ended: a process that outlives it may hold the stream open
 * without end. The rest is read and forgotten, so that the child never waits for a reader.
 */
export async function outputOf(
  { exited }: { readonly exited: Promise<unknown> },
  stream: ReadableStream<Uint8Array>,
  charsMax: number,
): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const over = endOf(exited);
  let text = "";
  for (;;) {
    const part = await Promise.race([reader.read(), over]);
    if (part === undefined || part.done) break;
    if (text.length < charsMax) text += decoder.decode(part.value, { stream: true });
  }
  void reader.cancel().catch(() => undefined);
  return text.slice(0, charsMax);
}

/** Settles when nothing more is to be expected of the process. */
export async function endOf(exited: Promise<unknown>): Promise<undefined> {
  await exited;
  await sleep(restMs);
}
