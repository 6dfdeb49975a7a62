import { hasDiskFor } from "../../base/disk-space.ts";
import { formatAmount } from "../../base/cut-text.ts";
import { keptOutputBytesMax, outputWindowBytes, terminateGraceMs } from "../../base/limits.ts";
import { ownValue } from "../../base/values.ts";
import type { KeptName, StandIns } from "../../commands/sandbox/stand-ins.ts";
import {
  isKeptTemporaryFolder,
  removePrivateFolder,
} from "../../commands/sandbox/sandbox-folders.ts";
import type { KeptTask } from "./kept-task.ts";
import { isSameAlive, keptProcessOf, type KeptProcess, whereIs } from "./machine.ts";
import { taskFiles } from "./kept-place.ts";
import type { TaskFolders } from "./task-folders.ts";
import { endTask, untilRelayed } from "./task-process.ts";
import { type EndWish, readExit, readJson, writeJson, writeWish } from "./task-record.ts";

/** A task that has ended after its client. */
export interface KeptEnded {
  readonly taskId: number;
  readonly command: string;
  readonly exitCode: number | null;
  readonly cwd: string;
  /** The project whose approved hooks run. */
  readonly projectDir: string | null;
}

export interface KeeperParts {
  /** Called for tasks whose client cannot learn of the end any more, unless their client had hooks switched off. */
  readonly onEnded?: (ended: KeptEnded) => void;
  readonly folders: TaskFolders;
  readonly standIns: StandIns;
  /** The number of tasks that this process watches over has changed. */
  readonly onChange: () => void;
  readonly log: (line: string) => void;
  /** Bounds of outputs; tests have smaller ones. */
  readonly outputBytesMax?: { readonly task: number; readonly all: number };
  /** Whether the disk of a folder has room left; tests have one that is full. */
  readonly hasDisk?: (folder: string) => boolean;
}

/** How often running tasks are looked at: their time, their output, whether they run. */
const lookMs = 1_000;
/** How often tasks of another hub are looked at: it may have died. */
const foreignLookMs = 10_000;
/** All outputs together are looked at again when so much was printed since. */
const printedPerLook = 1024 * 1024;

/**
 * Watches over kept tasks: ends them when their time is over, keeps their output in bounds, and cleans up after them. Each task
 * has one keeper: the hub that has started it, or after its death the first that comes.
 */
export class TaskKeeper implements Disposable {
  readonly #parts: KeeperParts;
  readonly #self: KeptProcess = keptProcessOf(process.pid);
  /** Running tasks, and how much each had printed at the last look. */
  readonly #owned = new Map<KeptTask, number>();
  readonly #settling = new Map<KeptTask, Promise<void>>();
  /** The signal that ended the shell around a task which this process started. */
  readonly #signals = new Map<KeptTask, string>();
  /** Bytes printed since all outputs were looked at. */
  #printed = Number.POSITIVE_INFINITY;
  /** Tasks whose stand-ins this process holds. */
  readonly #holders = new WeakSet<KeptTask>();
  #look: ReturnType<typeof setInterval> | undefined;
  #foreignLook: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Running tasks that this process watches over. */
  get alive(): number {
    return this.#owned.size;
  }

  /** Takes a task over; `TaskFolders.alone` only. */
  own(task: KeptTask): void {
    writeJson(task.folder, taskFiles.owner, this.#self);
    this.#owned.set(task, 0);
    if (!this.#isClosed) this.#look ??= setInterval(() => this.#lookAtAll(), lookMs).unref();
    this.#parts.onChange();
  }

  /** Takes over the stand-ins of a task, which this process has held for it. */
  keepHoldings(task: KeptTask): void {
    this.#holders.add(task);
  }

  /** The shell around a task that this process started has ended. */
  leaderEnded(task: KeptTask, signal: string | null): void {
    // The next hub cleans up.
    if (this.#isClosed) return;
    if (signal !== null) this.#signals.set(task, signal);
    void this.settle(task).catch((error: unknown) => this.#fail(task, error));
  }

  /** Takes over all tasks that nobody watches over, and cleans up after those that have ended. */
  async adopt(): Promise<void> {
    const { folders } = this.#parts;
    const ended: KeptTask[] = [];
    await folders.alone(() => {
      let foreign = 0;
      for (const task of folders.all()) {
        if (task.isSettled || this.#owned.has(task) || this.#settling.has(task)) continue;
        const owner = ownValue<KeptProcess | undefined>(readJson(task.folder, taskFiles.owner));
        const isForeign = owner !== undefined && owner.pid !== process.pid && isSameAlive(owner);
        if (isForeign) foreign += 1;
        else if (task.end === undefined) this.own(task);
        else ended.push(task);
      }
      folders.sweep();
      if (foreign > 0) this.#lookAgain();
    });
    await Promise.all(ended.map((task) => this.settle(task)));
  }

  /** Ends a task for a reason; resolves when nothing of it runs. */
  async end(task: KeptTask, wish: Omit<EndWish, "at">): Promise<void> {
    writeWish(task.folder, { ...wish, at: Date.now() });
    await this.settle(task);
  }

  async endAll(): Promise<void> {
    const wish = { by: "user", note: null } as const;
    await Promise.all([...this.#owned.keys()].map((task) => this.end(task, wish)));
  }

  /** The command has ended, or must end: its remaining processes are ended, and its resources removed. Idempotent. */
  settle(task: KeptTask): Promise<void> {
    let settling = this.#settling.get(task);
    if (settling === undefined) {
      settling = this.#settle(task).finally(() => this.#settling.delete(task));
      this.#settling.set(task, settling);
    }
    return settling;
  }

  /** Resolves when nothing is being ended or cleaned up. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#settling.values());
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#look);
    clearTimeout(this.#foreignLook);
  }

  async #settle(task: KeptTask): Promise<void> {
    if (task.isSettled) return this.#forget(task);
    const { record, processes } = task;
    // The numbers of processes say nothing after a restart of the machine.
    if (record !== undefined && whereIs(record.machine) === "here") {
      const isGone = await endTask(record, processes, terminateGraceMs);
      if (!isGone) this.#parts.log(`Kept task ${task.id} could not be ended as a whole.`);
      if (processes !== undefined) await untilRelayed(processes);
    }
    // Output since the last look is counted now: the next look is at tasks that run.
    this.#keepInBounds(task);
    this.#keepAllInBounds();
    task.settle(task.end ?? task.endNow(undefined, this.#signals.get(task)));
    const holdings = record?.holdings ?? null;
    if (holdings !== null) {
      const { tmpDir, standIns } = holdings;
      if (isKeptTemporaryFolder(tmpDir)) await removePrivateFolder(tmpDir);
      for (const name of standIns) await this.#release(task, name);
    }
    this.#tellEnd(task);
    this.#forget(task);
  }

  #tellEnd(task: KeptTask): void {
    const { record } = task;
    if (record?.hooks === undefined || isSameAlive(record.client)) return;
    const { command, exitCode } = task.summary(0);
    const { cwd, hooks } = record;
    this.#parts.onEnded?.({ taskId: task.id, command, exitCode, cwd, ...hooks });
  }

  /** Nobody else may hold it any more: a holding of one's own finds that out. */
  async #release(task: KeptTask, name: KeptName): Promise<void> {
    const { standIns } = this.#parts;
    if (!this.#holders.has(task)) {
      const held = await standIns.hold(name).catch(() => "impossible" as const);
      if (held !== "held") return;
    }
    await standIns.release(name.path);
  }

  #forget(task: KeptTask): void {
    this.#signals.delete(task);
    if (!this.#owned.delete(task)) return;
    if (this.#owned.size === 0) {
      clearInterval(this.#look);
      this.#look = undefined;
    }
    this.#parts.onChange();
  }

  #lookAtAll(): void {
    for (const task of this.#owned.keys()) {
      if (this.#settling.has(task)) continue;
      try {
        this.#lookAt(task);
      } catch (error) {
        this.#fail(task, error);
      }
    }
    this.#keepAllInBounds();
  }

  #lookAt(task: KeptTask): void {
    const { record, processes } = task;
    if (task.end !== undefined) return this.leaderEnded(task, null);
    const endsAt = record?.endsAt ?? null;
    if (endsAt !== null && Date.now() >= endsAt) {
      return this.#endFor(task, { by: "timeout", note: null });
    }
    const isCutOff = processes !== undefined && !isSameAlive(processes.relay);
    if (isCutOff && readExit(task.folder) === undefined) {
      const note = "its output could not be written any more; the disk may be full";
      return this.#endFor(task, { by: "limit", note });
    }
    this.#keepInBounds(task);
  }

  /** A full disk takes the older output first: everything else of the user needs the room more. */
  #keepInBounds(task: KeptTask): void {
    const { outputBytesMax = keptOutputBytesMax, hasDisk = hasRoom } = this.#parts;
    const { end, heldBytes } = task.output;
    const grown = end - (this.#owned.get(task) ?? 0);
    const hasGrown = grown > 0;
    this.#printed += grown;
    this.#owned.set(task, end);
    const bytesMax =
      hasGrown && heldBytes > outputWindowBytes && !hasDisk(task.folder)
        ? Math.min(outputWindowBytes, outputBytesMax.task)
        : outputBytesMax.task;
    if (heldBytes > bytesMax) this.#drop(task, bytesMax);
  }

  /** Drops output until all tasks are within their bound, of the largest first. */
  #keepAllInBounds(): void {
    if (this.#printed < printedPerLook) return;
    this.#printed = 0;
    const { folders, outputBytesMax = keptOutputBytesMax } = this.#parts;
    const sizes = folders.all().map((task) => ({ task, bytes: task.output.heldBytes }));
    let excess = sizes.reduce((sum, { bytes }) => sum + bytes, 0) - outputBytesMax.all;
    for (const { task, bytes } of sizes.sort((one, other) => other.bytes - one.bytes)) {
      if (excess <= 0) return;
      const dropped = Math.min(excess, Math.max(0, bytes - outputWindowBytes));
      if (dropped > 0) this.#drop(task, bytes - dropped);
      excess -= dropped;
    }
  }

  #drop(task: KeptTask, bytesMax: number): void {
    if (task.output.dropTo(bytesMax) || task.end !== undefined) return;
    const held = formatAmount(task.output.heldBytes, "byte");
    const note = `its output has ${held}, and this file system cannot drop the oldest part of a file`;
    this.#endFor(task, { by: "limit", note });
  }

  #endFor(task: KeptTask, wish: Omit<EndWish, "at">): void {
    void this.end(task, wish).catch((error: unknown) => this.#fail(task, error));
  }

  #fail(task: KeptTask, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#parts.log(`Kept task ${task.id} in ${task.folder}: ${reason}`);
  }

  #lookAgain(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#foreignLook);
    const look = (): void =>
      void this.adopt().catch((error: unknown) => this.#parts.log(String(error)));
    this.#foreignLook = setTimeout(look, foreignLookMs).unref();
  }
}

function hasRoom(folder: string): boolean {
  return hasDiskFor(folder, 0);
}
