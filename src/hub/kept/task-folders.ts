import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { backgroundEndedAgeMsMax, backgroundEndedMax, keptTaskIds } from "../../base/limits.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { replaceFile } from "../../config/replace-file.ts";
import { isWorkspaceKey } from "./kept-place.ts";
import { KeptTask } from "./kept-task.ts";
import { changedAt } from "./task-record.ts";

/** The id that each workspace gave out last; it outlives all files of tasks. */
const idsFolderName = "ids";
/** A task of another machine or container is removed when nothing of it has changed for so long. */
const foreignAgeMsMax = 7 * 24 * 60 * 60 * 1000;

/** The folders of all kept tasks of a user: `<workspace>/<id>`. */
export class TaskFolders {
  readonly folder: string;
  /** Known tasks by their folder: the files of one that has ended are not read again. */
  readonly #known = new Map<string, KeptTask>();

  constructor(folder: string) {
    this.folder = folder;
  }

  workspaces(): readonly string[] {
    return namesIn(this.folder).filter(isWorkspaceKey);
  }

  /** The tasks of a workspace, by their ids. */
  tasksOf(workspace: string): readonly KeptTask[] {
    const folder = join(this.folder, workspace);
    const ids = namesIn(folder).filter((name) => /^[1-9]\d{3,6}$/.test(name));
    return ids
      .map(Number)
      .sort((one, other) => one - other)
      .map((id) => this.#taskAt(join(folder, String(id))))
      .filter((task) => task.isHere);
  }

  all(): readonly KeptTask[] {
    return this.workspaces().flatMap((workspace) => this.tasksOf(workspace));
  }

  /** @throws AppError `not_found` */
  find(workspace: string, id: number): KeptTask {
    const tasks = this.tasksOf(workspace);
    const task = tasks.find((one) => one.id === id);
    if (task !== undefined) return task;
    const known = tasks.map((one) => one.id).slice(-20);
    const hint =
      known.length === 0
        ? "This workspace has none."
        : `Known in this workspace: ${known.join(", ")}.`;
    throw new AppError("not_found", `No kept background task has the id ${id}. ${hint}`);
  }

  /** Runs `work` while no other process starts, adopts or removes a task. */
  alone<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    return withFileLock(join(this.folder, "tasks"), work);
  }

  /** Makes the folder of a new task; `alone` only. @throws AppError `limit`, errors of the file system */
  create(workspace: string): KeptTask {
    const id = this.#nextId(workspace);
    if (id > keptTaskIds.last) {
      const message = `This workspace has had ${keptTaskIds.last - keptTaskIds.first + 1} kept tasks, the maximum.`;
      throw new AppError("limit", message);
    }
    const folder = join(this.folder, workspace, String(id));
    mkdirSync(join(this.folder, workspace), { recursive: true, mode: 0o700 });
    mkdirSync(folder, { mode: 0o700 });
    return this.#taskAt(folder);
  }

  remove({ folder }: KeptTask): void {
    this.#known.delete(folder);
    rmSync(folder, { recursive: true, force: true });
  }

  /** Removes tasks that ended long ago, and those before the newest that have ended; `alone` only. */
  sweep(now = Date.now()): void {
    for (const workspace of this.workspaces()) {
      const ended = this.tasksOf(workspace).filter(({ end }) => end !== undefined);
      for (const [index, task] of ended.entries()) {
        const isOld = now - (task.end?.endedAt ?? now) > backgroundEndedAgeMsMax;
        if (isOld || ended.length - index > backgroundEndedMax) this.remove(task);
      }
      this.#removeForeign(join(this.folder, workspace), now);
      removeEmpty(join(this.folder, workspace));
    }
  }

  #removeForeign(folder: string, now: number): void {
    for (const name of namesIn(folder)) {
      const task = new KeptTask(join(folder, name));
      if (!task.isHere && now - changedAt(task.folder) > foreignAgeMsMax) this.remove(task);
    }
  }

  #taskAt(folder: string): KeptTask {
    let task = this.#known.get(folder);
    if (task === undefined) this.#known.set(folder, (task = new KeptTask(folder)));
    return task;
  }

  /** The counter may be older than the tasks, when it was restored from a backup. */
  #nextId(workspace: string): number {
    const file = join(this.folder, idsFolderName, workspace);
    const used = namesIn(join(this.folder, workspace)).map(Number).filter(Number.isInteger);
    const id = Math.max(keptTaskIds.first - 1, lastIdIn(file), ...used) + 1;
    mkdirSync(join(this.folder, idsFolderName), { recursive: true, mode: 0o700 });
    replaceFile(file, String(id));
    return id;
  }
}

function lastIdIn(file: string): number {
  try {
    return Number(readFileSync(file, "latin1")) || 0;
  } catch {
    return 0;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It has tasks.
  }
}
