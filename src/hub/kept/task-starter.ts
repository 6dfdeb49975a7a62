import { realpathSync } from "node:fs";
import { basename, isAbsolute } from "node:path";

import { formatAmount } from "../../base/cut-text.ts";
import { hasDiskFor } from "../../base/disk-space.ts";
import { AppError, systemCodeOf } from "../../base/errors.ts";
import { keptRunningMax } from "../../base/limits.ts";
import { sandboxArgument } from "../../base/product.ts";
import { ownerMark } from "../../commands/process/processes.ts";
import { sandboxExec } from "../../commands/sandbox/backend-arguments.ts";
import type { StandIns } from "../../commands/sandbox/stand-ins.ts";
import type { KeptLaunch, KeptOptions } from "./kept-messages.ts";
import { taskFiles, workspaceKeyOf } from "./kept-place.ts";
import type { KeptTask } from "./kept-task.ts";
import { keptProcessOf, thisMachine } from "./machine.ts";
import type { TaskFolders } from "./task-folders.ts";
import type { TaskKeeper } from "./task-keeper.ts";
import { startTask, type TaskStart } from "./task-process.ts";
import { prepareExit, recordFormat, type TaskRecord, writeJson } from "./task-record.ts";

export interface StarterParts {
  readonly folders: TaskFolders;
  readonly keeper: TaskKeeper;
  readonly standIns: StandIns;
  /** The owner marks of kept tasks begin with it. */
  readonly instanceId: string;
  readonly hasDisk?: (folder: string) => boolean;
  /** See `TaskStart`. */
  readonly orphanage?: TaskStart["orphanage"];
}

/** The client that wants a command started. */
export interface Starter extends Pick<KeptOptions, "scope" | "clientName"> {
  readonly pid: number;
}

/** Starts kept tasks, once everything has been checked again that can be checked here. */
export class TaskStarter {
  readonly #parts: StarterParts;
  #number = 0;

  constructor(parts: StarterParts) {
    this.#parts = parts;
  }

  /** @throws AppError `refused`, `limit`, `system`, `unsupported`: nothing runs then */
  start(launch: KeptLaunch, starter: Starter): Promise<KeptTask> {
    assertOfWorkspace(launch, starter);
    assertConfined(launch);
    const { folders } = this.#parts;
    return folders.alone(() => {
      folders.sweep();
      this.#assertRoom(workspaceKeyOf(starter.scope));
      return this.#start(launch, starter);
    });
  }

  #assertRoom(workspace: string): void {
    const { folders, hasDisk = hasRoom } = this.#parts;
    const running = (tasks: readonly KeptTask[]): number =>
      tasks.filter(({ end }) => end === undefined).length;
    const here = running(folders.tasksOf(workspace));
    if (here >= keptRunningMax.workspace) throw tooMany(here, "in this workspace");
    const all = running(folders.all());
    if (all >= keptRunningMax.all) throw tooMany(all, "of this user");
    if (hasDisk(folders.folder)) return;
    const message = `The disk of ${folders.folder} is nearly full: nothing was started. Free some of it and try again.`;
    throw new AppError("limit", message);
  }

  async #start(launch: KeptLaunch, starter: Starter): Promise<KeptTask> {
    const { folders, keeper } = this.#parts;
    const mark = ownerMark(this.#parts.instanceId, ++this.#number);
    const task = folders.create(workspaceKeyOf(starter.scope));
    try {
      writeJson(task.folder, taskFiles.record, recordOf(task.id, mark, launch, starter));
      prepareExit(task.folder);
      const locks = await this.#hold(launch, task);
      this.#launch(task, launch, mark, locks);
    } catch (error) {
      await this.#release(launch);
      folders.remove(task);
      throw isDiskFull(error) ? diskFull(folders.folder) : error;
    }
    keeper.own(task);
    return task;
  }

  #launch(task: KeptTask, launch: KeptLaunch, mark: string, locks: readonly number[]): void {
    const { keeper } = this.#parts;
    const { argv, confinement, cwd, env, umask } = launch;
    const { data } = confinement ?? {};
    const processes = startTask({
      folder: task.folder,
      argv: [...(confinement?.wrapper ?? []), ...argv],
      cwd,
      env,
      umask,
      mark,
      data: data === undefined ? undefined : Buffer.from(data, "base64"),
      locks,
      orphanage: this.#parts.orphanage,
      onExit: ({ signal }) => keeper.leaderEnded(task, signal),
    });
    writeJson(task.folder, taskFiles.processes, processes);
  }

  /** The client holds them too, until it learns that the command runs. */
  async #hold({ confinement }: KeptLaunch, task: KeptTask): Promise<readonly number[]> {
    const { standIns, keeper } = this.#parts;
    const fds: number[] = [];
    for (const name of confinement?.holdings?.standIns ?? []) {
      const holding = await standIns.hold(name);
      const fd = holding === "held" ? standIns.descriptorOf(name.path) : undefined;
      if (fd !== undefined) fds.push(fd);
    }
    keeper.keepHoldings(task);
    return fds;
  }

  async #release({ confinement }: KeptLaunch): Promise<void> {
    for (const { path } of confinement?.holdings?.standIns ?? []) {
      await this.#parts.standIns.release(path);
    }
  }
}

function recordOf(id: number, mark: string, launch: KeptLaunch, starter: Starter): TaskRecord {
  const { commandText, cwd, keepHours, confinement, hooks } = launch;
  const startedAt = Date.now();
  return {
    format: recordFormat,
    id,
    workspace: starter.scope.workspace,
    commandText,
    cwd,
    startedAt,
    endsAt: keepHours === 0 ? null : startedAt + keepHours * 3_600_000,
    machine: thisMachine(),
    mark,
    isOverseen: confinement?.isOverseen ?? false,
    notes: confinement?.notes ?? [],
    holdings: confinement?.holdings ?? null,
    client: { ...keptProcessOf(starter.pid), name: starter.clientName ?? null },
    ...(hooks === undefined ? {} : { hooks }),
  };
}

/** A workspace that is named is not a folder. */
function assertOfWorkspace({ cwd }: KeptLaunch, { scope }: Starter): void {
  if (!isAbsolute(scope.workspace) || realPath(cwd) === scope.workspace) return;
  throw refusal(`its folder ${cwd} is not the workspace ${scope.workspace} of the client`);
}

/** A command that has the holdings of a sandbox is in one. */
function assertConfined({ confinement, argv }: KeptLaunch): void {
  if (argv.length === 0) throw refusal("it has no program");
  if (confinement === undefined) return;
  const { wrapper, holdings } = confinement;
  if (wrapper.length === 0 && holdings === undefined) return;
  const [program = ""] = wrapper;
  const isKnown =
    basename(program) === "bwrap" || program === sandboxExec || wrapper.includes(sandboxArgument);
  if (!isKnown) throw refusal(`it was to be confined, by ${program || "nothing"}`);
}

function refusal(why: string): AppError {
  return new AppError("refused", `The hub does not start the command: ${why}.`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function tooMany(count: number, where: string): AppError {
  return new AppError(
    "limit",
    `${formatAmount(count, "kept task")} are running ${where}, the maximum. End one with KillBgTask, or start the command without keep.`,
  );
}

function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(systemCodeOf(error) ?? "");
}

function diskFull(folder: string): AppError {
  return new AppError("system", `The disk of ${folder} is full: nothing was started.`);
}

function hasRoom(folder: string): boolean {
  return hasDiskFor(folder, 0);
}
