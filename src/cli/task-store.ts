import { existsSync, realpathSync } from "node:fs";

import { AppError, messageOf } from "../base/errors.ts";
import { ownValue } from "../base/values.ts";
import type { StateScope } from "../base/server-events.ts";
import { storePathIn } from "../state/store/open-store.ts";
import { StoreFile } from "../state/store/store-file.ts";
import type { StoreCall, StoreReply } from "../state/store/store-methods.ts";
import type { ExportedTask, TransferredTask } from "../state/store/tasks/task-transfer.ts";
import type { CommandIo } from "./command-io.ts";
import type { Printer } from "./print.ts";
import type { StartUp } from "./start-up.ts";

/** The workspace of a command's tasks: `--workspace`, `--cwd` or the current directory. */
export function taskScope({ workspaceName, cwdFlag }: StartUp, io: CommandIo): StateScope {
  return { workspace: workspaceName ?? realFolder(cwdFlag ?? io.cwd), owner: "" };
}

/** The same as a server of that folder knows it by. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** False when nothing was ever kept: a command that only looks makes no file. */
export function hasStore({ dirs }: StartUp): boolean {
  return existsSync(storePathIn(dirs.scorpioxDir));
}

/**
 * Asks the store in this process: a command has nobody to keep waiting.
 * @throws AppError as the method does, `system` when the file cannot be used
 */
export function askStore<Call extends StoreCall>(
  { dirs }: StartUp,
  call: Call,
  print: Printer,
): StoreReply<Call["method"]> {
  const file = new StoreFile(storePathIn(dirs.scorpioxDir));
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

/** Tasks as a file keeps them. */
interface TaskFile {
  readonly format: typeof format;
  readonly version: typeof version;
  readonly tasks: readonly ExportedTask[];
}

export function taskFileOf(tasks: readonly ExportedTask[]): TaskFile {
  return { format, version, tasks };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what `taskFileOf` made, or a bare array of tasks. Fields that it does not know are left alone.
 * @param name what the reader calls the file
 * @throws AppError `usage` naming the place that is wrong
 */
export function readTaskFile(bytes: Uint8Array, name: string): TransferredTask[] {
  const value = parse(bytes, name);
  if (isFields(value) && value["version"] !== undefined && value["version"] !== version) {
    const given = JSON.stringify(value["version"]);
    throw new AppError("usage", `${name} has version ${given}; this program reads ${version}.`);
  }
  const tasks = isFields(value) ? value["tasks"] : value;
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
  if (isFields(value)) return value;
  throw new AppError("usage", `${place} must be an object.`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
