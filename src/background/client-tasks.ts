import { AppError } from "../base/errors.ts";
import {
  backgroundEndedAgeMsMax,
  backgroundEndedMax,
  backgroundRunningMax,
} from "../base/limits.ts";
import type { Execution } from "./execution.ts";

/** A command in the background of one client, and how far that client has read it. */
export interface BackgroundTask {
  /** 1, 2, 3 … for each client. */
  readonly id: number;
  readonly execution: Execution;
  /** Absolute offset of the first byte that the client was not given yet. */
  cursor: number;
  /** The read that is being answered; the next one waits for it. */
  reading: Promise<void>;
}

/** The background tasks of one client identity. Ids count up and are never reused. */
export class ClientTasks {
  readonly #tasks = new Map<number, BackgroundTask>();
  #lastId = 0;

  /** Oldest first. */
  list(): BackgroundTask[] {
    if (this.#tasks.size === 0) return [];
    this.#forgetOld();
    return [...this.#tasks.values()];
  }

  /** @throws AppError `not_found` */
  get(id: number): BackgroundTask {
    const task = this.#tasks.get(id);
    if (task !== undefined) return task;
    const known = [...this.#tasks.keys()];
    const hint = known.length === 0 ? "There are no background tasks." : `Known: ${listed(known)}.`;
    throw new AppError("not_found", `No background task has the id ${id}. ${hint}`);
  }

  /** @throws AppError `limit` when too many are running. */
  assertRoom(): void {
    const running = this.list().filter((task) => task.execution.isRunning).length;
    if (running < backgroundRunningMax) return;
    throw new AppError(
      "limit",
      `${running} background tasks are running, which is the most that is allowed. ` +
        `End one with KillBgTask, or wait for one to finish.`,
    );
  }

  add(execution: Execution, cursor: number): BackgroundTask {
    const task = { id: ++this.#lastId, execution, cursor, reading: Promise.resolve() };
    this.#tasks.set(task.id, task);
    return task;
  }

  #forgetOld(): void {
    const ended = [...this.#tasks.values()].filter((task) => !task.execution.isRunning);
    const oldest = Date.now() - backgroundEndedAgeMsMax;
    for (const [index, task] of ended.entries()) {
      const tooMany = ended.length - index > backgroundEndedMax;
      if (tooMany || (task.execution.endedAt ?? 0) < oldest) this.#tasks.delete(task.id);
    }
  }
}

function listed(ids: readonly number[]): string {
  return ids.length <= 20 ? ids.join(", ") : `${ids.slice(-20).join(", ")} and older`;
}
