import { existsSync } from "node:fs";

import { AppError } from "../../base/errors.ts";
import {
  backgroundEndedAgeMsMax,
  backgroundEndedMax,
  backgroundRunningMax,
  keptTaskIds,
} from "../../base/limits.ts";
import type { Execution } from "./execution.ts";

interface Readable {
  /** 1, 2, 3 … for each client; from 1,000,001 on once those below kept tasks are used up. */
  readonly id: number;
  /** Absolute offset of the first byte that the client was not given yet. */
  cursor: number;
  /** The read that is being answered; the next one waits for it. */
  reading: Promise<void>;
}

/** A background command, or a background call to an upstream server, of one client, and the client's read position. */
export interface BackgroundTask extends Readable {
  readonly kind: "command" | "call";
  readonly execution: Execution;
}

/** An output that was too long for its result, and the part that the client was not shown. */
export interface SavedOutputRecord {
  /** The name of its file, without `.txt`. */
  readonly resultId: string;
  readonly path: string;
  /** The source of the output: a command, or a tool. */
  readonly title: string;
  /** The first byte that was left out. */
  readonly from: number;
  /** The bytes in the file, or those that it will have once its writer is done. */
  readonly bytes: number;
}

/** A kept output as a task that has ended: it is read on as the output of a command is. */
export interface OutputTask extends Readable {
  readonly kind: "output";
  readonly output: SavedOutputRecord;
  readonly savedAt: number;
}

export type ClientTask = BackgroundTask | OutputTask;

/** The background tasks of one client identity. Ids count up and are never reused. */
export class ClientTasks {
  readonly #tasks = new Map<number, ClientTask>();
  #lastId = 0;

  /** Oldest first. */
  list(): ClientTask[] {
    if (this.#tasks.size === 0) return [];
    this.#forgetOld();
    for (const task of this.#tasks.values()) if (isGone(task)) this.#tasks.delete(task.id);
    return [...this.#tasks.values()];
  }

  /** The commands that run or ran; oldest first. */
  executions(): BackgroundTask[] {
    return this.list().filter((task) => task.kind !== "output");
  }

  /** @throws AppError `not_found` */
  get(id: number): ClientTask {
    const task = this.#tasks.get(id);
    if (task !== undefined && !isGone(task)) return task;
    this.#tasks.delete(id);
    if (task !== undefined) throw goneError(id);
    const known = [...this.#tasks.keys()];
    const hint = known.length === 0 ? "There are no background tasks." : `Known: ${listed(known)}.`;
    throw new AppError("not_found", `No background task has the id ${id}. ${hint}`);
  }

  /** How many background tasks of the client are running. */
  get running(): number {
    return this.executions().filter((task) => task.execution.isRunning).length;
  }

  /** True when one more may run. */
  get hasRoom(): boolean {
    return this.running < backgroundRunningMax;
  }

  /** @throws AppError `limit` when too many are running. */
  assertRoom(): void {
    if (this.hasRoom) return;
    throw new AppError(
      "limit",
      `${this.running} background tasks are running, the maximum allowed. ` +
        `End one with KillBgTask, or wait for one to finish.`,
    );
  }

  add(kind: BackgroundTask["kind"], execution: Execution, cursor: number): BackgroundTask {
    const reading = Promise.resolve();
    const task = { id: this.#nextId(), kind, execution, cursor, reading };
    this.#tasks.set(task.id, task);
    return task;
  }

  /** A task with an id that another process gave it; new ones count on from there. */
  restore(id: number, execution: Execution): void {
    if (this.#tasks.has(id)) return;
    const reading = Promise.resolve();
    this.#tasks.set(id, { id, kind: "command", execution, cursor: 0, reading });
    this.#lastId = Math.max(this.#lastId, id);
  }

  /** @returns the id by which it is read on */
  addOutput(output: SavedOutputRecord): number {
    const id = this.#nextId();
    const { from: cursor } = output;
    const reading = Promise.resolve();
    this.#tasks.set(id, { id, kind: "output", output, cursor, reading, savedAt: Date.now() });
    this.#forgetOld();
    return id;
  }

  #nextId(): number {
    const next = this.#lastId + 1;
    this.#lastId = next === keptTaskIds.first ? keptTaskIds.last + 1 : next;
    return this.#lastId;
  }

  #forgetOld(): void {
    const ended = [...this.#tasks.values()].filter((task) => endOf(task) !== undefined);
    const oldest = Date.now() - backgroundEndedAgeMsMax;
    for (const [index, task] of ended.entries()) {
      const tooMany = ended.length - index > backgroundEndedMax;
      if (tooMany || (endOf(task) ?? 0) < oldest) this.#tasks.delete(task.id);
    }
  }
}

/** When it ended; undefined while it runs. */
function endOf(task: ClientTask): number | undefined {
  return task.kind === "output" ? task.savedAt : task.execution.endedAt;
}

/** Its file was swept away. */
function isGone(task: ClientTask): boolean {
  return task.kind === "output" && !existsSync(task.output.path);
}

/** For an output whose file is not there any more. */
export function goneError(id: number): AppError {
  return new AppError(
    "not_found",
    `The output of task ${id} is gone: scorpiox-code keeps files of long outputs for 24 hours, and 1 GiB of them in all. Run the command again.`,
  );
}

function listed(ids: readonly number[]): string {
  return ids.length <= 20 ? ids.join(", ") : `${ids.slice(-20).join(", ")} and older`;
}
