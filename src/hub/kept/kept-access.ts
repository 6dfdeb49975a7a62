import { watch } from "node:fs";

import { type Abortable, startTimer } from "../../base/cancellation.ts";
import { loadLibc } from "../../commands/process/libc.ts";
import { StandIns } from "../../commands/sandbox/stand-ins.ts";
import type { KillReply, ReadReply, TaskSummary } from "../../tools/services.ts";
import type { KeptKill, KeptRead } from "./kept-messages.ts";
import { keptFolderIn } from "./kept-place.ts";
import type { KeptTask } from "./kept-task.ts";
import { TaskFolders } from "./task-folders.ts";
import { type KeeperParts, TaskKeeper } from "./task-keeper.ts";

export interface KeptAccessParts extends Partial<
  Pick<KeeperParts, "outputBytesMax" | "hasDisk" | "onChange" | "onEnded">
> {
  readonly scorpioxDir: string;
  readonly log: (line: string) => void;
}

/** A client as reads see it. */
export interface Reader {
  /** Names the client process. */
  readonly key: string;
  /** See `workspaceKeyOf`. */
  readonly workspace: string;
}

/**
 * Listing, reading and ending kept tasks by their files: in a hub, whichever has started them, and where there is no hub in
 * any other process of the user.
 */
export class KeptAccess implements AsyncDisposable {
  readonly parts: Pick<KeeperParts, "folders" | "standIns"> & { readonly keeper: TaskKeeper };

  constructor(parts: KeptAccessParts) {
    const { scorpioxDir, onChange = () => {} } = parts;
    const libc = loadLibc();
    const standIns = new StandIns({
      share: (fd) => libc?.lockFile(fd, false) ?? true,
      takeAlone: (fd) => libc?.lockFile(fd, true) ?? true,
    });
    const folders = new TaskFolders(keptFolderIn(scorpioxDir));
    const keeper = new TaskKeeper({ ...parts, folders, standIns, onChange });
    this.parts = { folders, standIns, keeper };
  }

  /** True when no task of the workspace runs, or has ended and is not cleaned up after. */
  isQuiet(workspace: string): boolean {
    return this.parts.folders.tasksOf(workspace).every((task) => task.isSettled);
  }

  list({ key, workspace }: Reader): readonly TaskSummary[] {
    return this.parts.folders.tasksOf(workspace).map((task) => task.summary(task.cursorOf(key)));
  }

  /** A page of the output, once there is any or `waitMs` are over. @throws AppError `not_found` */
  async read(
    { taskId, from, waitBeyond, waitMs }: KeptRead,
    { key, workspace }: Reader,
    signal: Abortable,
  ): Promise<ReadReply> {
    const task = this.parts.folders.find(workspace, taskId);
    const start = from ?? task.cursorOf(key);
    await waitForOutput(task, waitBeyond ?? start, waitMs, signal);
    // The end first: all that was printed before it is in the file by then.
    const hasEnded = task.end !== undefined;
    const { pageTo, end, ...output } = task.output.read(start, hasEnded);
    return { task: task.summary(task.cursorOf(key)), ...output, seenTo: pageTo, end };
  }

  /** Ends a task; resolves when nothing of it runs. @throws AppError `not_found` */
  async kill({ taskId, by }: KeptKill, { key, workspace }: Reader): Promise<KillReply> {
    const task = this.parts.folders.find(workspace, taskId);
    const wasRunning = task.end === undefined;
    if (wasRunning) await this.parts.keeper.end(task, { by, note: null });
    return { task: task.summary(task.cursorOf(key)), wasRunning };
  }

  /** The client has ended; of those that have, it is the last. */
  clientEnded({ key, workspace }: Reader): void {
    for (const task of this.parts.folders.tasksOf(workspace)) task.clientEnded(key);
  }

  /** Leaves all tasks running. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.parts.keeper[Symbol.dispose]();
    await this.parts.keeper.settled();
  }
}

/** New output is given this long to become more, so that a waiting read is not answered line by line. */
const gatherMs = 20;
/** A file system that reports no changes is looked at this often, and so are ends, of which some change no file. */
const lookMs = 1_000;

/** Resolves when the task has printed more than `beyond` bytes, has ended, after `waitMs`, or when nobody waits. */
async function waitForOutput(
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
