import { createReadStream, existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { formatAmount, formatCount, oneLine } from "../../base/cut-text.ts";
import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { taskFileBytesMax } from "../../base/limits.ts";
import { isObject, ownValue } from "../../base/values.ts";
import type { StateScope } from "../../base/server-events.ts";
import { storePathIn } from "../../state/store/open-store.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import { StoreFile } from "../../state/store/store-file.ts";
import type { StoreCall, StoreReply } from "../../state/store/store-methods.ts";
import type { Task, TaskReply } from "../../state/store/tasks/task-records.ts";
import type { TransferredTask } from "../../state/store/tasks/task-transfer.ts";
import { type CommandIo, exitCodes, type Printer } from "../command-io.ts";
import type { CliServices, Command } from "../command.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { startUp, type StartUp } from "../start-up.ts";
import { readAll } from "../terminal-io.ts";

/** Not a tool's result: a terminal shows as many as the user wants. */
const charsMax = Number.MAX_SAFE_INTEGER;

const nothing: TaskReply = {
  tasks: [],
  matching: 0,
  isCut: false,
  currentTaskId: null,
  stepId: null,
  isChanged: false,
  total: 0,
  pending: 0,
};

export const tasksListCommand: Command = {
  usage: "[WORD ...] [--pending] [--json] [FLAGS]",
  description:
    "Lists the tasks of the workspace, which is the current directory unless --cwd or --workspace is given. With words, only\n" +
    "the tasks that have all of them in their text or their steps.",
  flags: {
    pending: { kind: "switch", help: "Only tasks that are not done." },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: false,
  async run({ args, io, print, services }) {
    const start = startUp(args, io, print);
    const store = await openStore(start, services, print);
    const action = args.has("pending") ? "pending" : "list";
    const request = { action, words: args.positionals, charsMax } as const;
    const scope = taskScope(start, io);
    const call = { method: "tasks.perform", request: { scope, request } } as const;
    const reply = store.isThere ? await store.ask(call) : nothing;
    if (args.has("json")) print.json(shapeOf(reply));
    else printTasks(reply, print);
    return exitCodes.done;
  },
};

function shapeOf({ tasks, matching, currentTaskId, total, pending }: TaskReply): object {
  return { tasks, leftOut: matching - tasks.length, currentTaskId, total, pending };
}

function printTasks(reply: TaskReply, print: Printer): void {
  for (const task of reply.tasks) printTask(task, task.taskId === reply.currentTaskId, print);
  const leftOut = reply.matching - reply.tasks.length;
  if (leftOut > 0)
    print.note(`${formatCount(leftOut)} more are not shown; tasks export prints all.`);
  print.note(`${formatAmount(reply.total, "task")}, ${formatCount(reply.pending)} pending.`);
}

function printTask(task: Task, isCurrent: boolean, print: Printer): void {
  const current = isCurrent ? " (current)" : "";
  print.line(`${markOf(task)} ${task.taskId}. ${onOneLine(task.text)}${current}`);
  for (const step of task.steps) {
    print.line(`    ${markOf(step)} ${step.stepId}. ${onOneLine(step.text)}`);
  }
}

function markOf({ isDone }: { readonly isDone: boolean }): string {
  return isDone ? "[x]" : "[ ]";
}

function onOneLine(text: string): string {
  return oneLine(text, text.length);
}

export const tasksExportCommand: Command = {
  usage: "[FLAGS]",
  description:
    "Prints all tasks of the workspace as JSON, which tasks import reads: scorpiox-code tasks export > tasks.json",
  flags: {
    json: { kind: "switch", help: "Print JSON (always on)." },
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print, services }) {
    const start = startUp(args, io, print);
    const store = await openStore(start, services, print);
    const call = { method: "tasks.export", request: { scope: taskScope(start, io) } } as const;
    const tasks = store.isThere ? await store.ask(call) : [];
    print.json({ format, version, tasks });
    return exitCodes.done;
  },
};

export const tasksImportCommand: Command = {
  usage: "FILE [--json] [FLAGS]",
  description:
    "Adds the tasks of a file written by tasks export to those of the workspace; - is standard input. They get new ids, since\n" +
    "ids are never reused. Either all of them are added or none.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: false,
  async run({ args, io, print, services }) {
    const start = startUp(args, io, print);
    const store = await openStore(start, services, print);
    const [name = ""] = args.positionals;
    const tasks = readTaskFile(await bytesOf(name, io), name);
    const request = { scope: taskScope(start, io), tasks };
    const { taskIds } = await store.ask({ method: "tasks.import", request });
    if (args.has("json")) print.json({ taskIds });
    else print.note(`${formatAmount(taskIds.length, "task")} added${rangeOf(taskIds)}.`);
    return exitCodes.done;
  },
};

/** @throws AppError `not_found`, `system`, `limit` */
async function bytesOf(name: string, io: CommandIo): Promise<Uint8Array> {
  if (name === "-") return readAll(io.stdin, taskFileBytesMax, "Standard input");
  const path = resolve(io.cwd, name);
  try {
    return await readAll(createReadStream(path), taskFileBytesMax, path);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (systemCodeOf(error) === "ENOENT") {
      throw new AppError("not_found", `${path}: no such file.`, { cause: error });
    }
    throw new AppError("system", `${path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function rangeOf(taskIds: readonly number[]): string {
  const [first] = taskIds;
  if (first === undefined) return "";
  return taskIds.length === 1
    ? `, with the id ${first}`
    : `, with the ids ${first} to ${taskIds.at(-1)}`;
}

/** The workspace of a command's tasks: `--workspace`, `--cwd` or the current directory. */
function taskScope({ workspaceName, cwdFlag }: StartUp, io: CommandIo): StateScope {
  return { workspace: workspaceName ?? realFolder(cwdFlag ?? io.cwd), owner: "" };
}

/** The real path of a folder, by which a server of it names its tasks. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The store of a command, which has nobody to keep waiting. */
interface CommandStore {
  /** False when nothing was ever kept: a command that only looks makes no file. */
  readonly isThere: boolean;
  /** @throws AppError as the method does, `system` when the store cannot be used */
  ask<Call extends StoreCall>(call: Call): Promise<StoreReply<Call["method"]>>;
}

async function openStore(
  { dirs }: StartUp,
  services: CliServices,
  print: Printer,
): Promise<CommandStore> {
  const place = await services.storePlace();
  if (place !== undefined) return { isThere: true, ask: (call) => askEngine(place, call) };
  const path = storePathIn(dirs.scorpioxDir);
  return {
    isThere: existsSync(path),
    ask: <Call extends StoreCall>(call: Call) => askFile(path, call, print),
  };
}

async function askEngine<Call extends StoreCall>(
  place: PostgresPlace,
  call: Call,
): Promise<StoreReply<Call["method"]>> {
  const { PostgresStore } = await import("../../state/store/postgres/postgres-store.ts");
  await using store = new PostgresStore(place);
  return await store.call(call);
}

async function askFile<Call extends StoreCall>(
  path: string,
  call: Call,
  print: Printer,
): Promise<StoreReply<Call["method"]>> {
  const file = new StoreFile(path);
  try {
    const [outcome] = file.perform([call]);
    if (outcome?.kind === "refused") throw outcome.error;
    return ownValue(outcome?.value);
  } finally {
    for (const notice of file.takeNotices()) print.warning(notice);
    file.close();
  }
}

const format = "scorpiox-tasks";
const version = 1;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what `tasks export` prints, or a bare array of tasks. Fields that it does not know are left alone.
 * @param name what the reader calls the file
 * @throws AppError `usage` naming the place that is wrong
 */
function readTaskFile(bytes: Uint8Array, name: string): TransferredTask[] {
  const value = parse(bytes, name);
  if (isObject(value) && value["version"] !== undefined && value["version"] !== version) {
    const given = JSON.stringify(value["version"]);
    throw new AppError("usage", `${name} has version ${given}; this program reads ${version}.`);
  }
  const tasks = isObject(value) ? value["tasks"] : value;
  if (!Array.isArray(tasks)) {
    throw new AppError("usage", `${name} has no tasks: it must be the output of tasks export.`);
  }
  return tasks.map((task, place) => taskOf(task, `${name}: tasks[${place}]`));
}

function parse(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw new AppError("usage", `${name} is not JSON in UTF-8: ${messageOf(error)}.`);
  }
}

function taskOf(value: unknown, place: string): TransferredTask {
  const { steps = [], ...line } = fieldsOf(value, place);
  if (!Array.isArray(steps)) throw new AppError("usage", `${place}.steps must be an array.`);
  return {
    ...lineOf(line, place),
    steps: steps.map((step, number) => {
      const stepPlace = `${place}.steps[${number}]`;
      return lineOf(fieldsOf(step, stepPlace), stepPlace);
    }),
  };
}

function lineOf(
  { text, isDone = false }: Fields,
  place: string,
): { text: string; isDone: boolean } {
  if (typeof text !== "string") throw new AppError("usage", `${place}.text must be a string.`);
  if (typeof isDone !== "boolean") {
    throw new AppError("usage", `${place}.isDone must be true or false.`);
  }
  return { text, isDone };
}

function fieldsOf(value: unknown, place: string): Fields {
  if (isObject(value)) return value;
  throw new AppError("usage", `${place} must be an object.`);
}
