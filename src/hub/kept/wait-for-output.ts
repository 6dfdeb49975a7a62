import { watch } from "node:fs";

import { type Abortable, startTimer } from "../../base/cancellation.ts";
import type { KeptTask } from "./kept-task.ts";

/** New output is given this long to become more, so that a waiting read is not answered line by line. */
const gatherMs = 20;
/** A file system that reports no changes is looked at this often, and so are ends, of which some change no file. */
const lookMs = 1_000;

/** Resolves when the task has printed more than `beyond` bytes, has ended, after `waitMs`, or when nobody waits. */
export async function waitForOutput(
  task: KeptTask,
  beyond: number,
  waitMs: number,
  signal: Abortable,
): Promise<void> {
  const isDue = (): boolean => task.output.end > beyond || task.end !== undefined;
  if (signal.aborted || waitMs <= 0 || isDue()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (!isDue()) return;
    stop();
    if (task.end !== undefined) resolve();
    else startTimer(gatherMs, resolve);
  };
  const interval = setInterval(look, lookMs).unref();
  const watcher = watchFolder(task.folder, look);
  const stop = (): void => {
    clearInterval(interval);
    watcher?.close();
  };
  const timer = startTimer(waitMs, resolve);
  const give = (): void => resolve();
  signal.addEventListener("abort", give, { once: true });
  // It may have printed before the watch began.
  look();
  await promise;
  signal.removeEventListener("abort", give);
  timer.stop();
  stop();
}

/** Resolves when the task has ended, or when nobody waits. */
export async function waitForEnd(task: KeptTask, signal: Abortable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const give = (): void => resolve();
  const interval = setInterval(() => task.end !== undefined && resolve(), lookMs).unref();
  signal.addEventListener("abort", give, { once: true });
  await promise;
  clearInterval(interval);
  signal.removeEventListener("abort", give);
}

/** How often a task is looked at that somebody follows. */
const followMs = 200;

/** Calls `onChange` after changes of the output, and at the end. Returns a function that stops it. */
export function followTask(task: KeptTask, onChange: () => void): () => void {
  let seen = -1;
  const interval = setInterval(() => {
    const hasEnded = task.end !== undefined;
    const { end } = task.output;
    if (end !== seen || hasEnded) onChange();
    seen = end;
    if (hasEnded) clearInterval(interval);
  }, followMs).unref();
  return () => clearInterval(interval);
}

function watchFolder(folder: string, onChange: () => void): ReturnType<typeof watch> | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
