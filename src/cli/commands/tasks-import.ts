import { createReadStream } from "node:fs";
import { resolve } from "node:path";

import { formatAmount } from "../../base/amount-text.ts";
import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { taskFileBytesMax } from "../../base/limits.ts";
import type { Command } from "../command.ts";
import type { CommandIo } from "../command-io.ts";
import { exitCodes } from "../command-io.ts";
import { jsonFlag } from "../json-flag.ts";
import { readAll } from "../read-all.ts";
import { startUp, startUpFlags } from "../start-up.ts";
import { readTaskFile } from "../task-file.ts";
import { askStore, taskScope } from "../task-store.ts";

export const tasksImportCommand: Command = {
  usage: "FILE [--json] [FLAGS]",
  description:
    "Adds the tasks of a file written by tasks export to those of the workspace; - is standard input. They get new ids, since\n" +
    "ids are never reused. Either all of them are added or none.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 1, max: 1 },
  async run({ args, io, print }) {
    const start = startUp(args, io, print);
    const [name = ""] = args.positionals;
    const tasks = readTaskFile(await bytesOf(name, io), name);
    const request = { scope: taskScope(start, io), tasks };
    const reply = askStore(start, { method: "tasks.import", request }, print);
    const { taskIds } = reply as { taskIds: number[] };
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
