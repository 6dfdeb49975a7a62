import { oneLine } from "../../base/cut-text.ts";
import { AppError } from "../../base/errors.ts";
import { realPathOf } from "../../base/paths.ts";
import { describeState } from "../../base/shown-state.ts";
import { product } from "../../base/product.ts";
import { KeptAccess } from "../../hub/kept/kept-access.ts";
import { keptFolderIn, workspaceKeyOf } from "../../hub/kept/kept-place.ts";
import type { KeptTask } from "../../hub/kept/kept-task.ts";
import { TaskFolders } from "../../hub/kept/task-folders.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, jsonFlag } from "../flags.ts";
import { readStartUp } from "../start-up.ts";

/** Bytes of an output that are read at once. */
const pageBytes = 1024 * 1024;

export const bgReadCommand: Command = {
  usage: "<id> [--json]",
  description:
    "Prints the output of a kept background task of the workspace, as far as it is held. Clients still get all that they have not read.",
  examples: ["bg read 1001"],
  flags: { ...jsonFlag, ...directoryFlags },
  arguments: { min: 1, max: 1 },
  // Its output may be of another workspace's command.
  needsPerson: true,
  async run(context) {
    const { print, args } = context;
    await using found = findTask(context);
    const { task } = found;
    if (args.has("json")) print.json({ ...task.summary(0), output: textOf(task) });
    else {
      for (const line of linesOf(textOf(task))) print.line(line);
      print.note(`Task ${task.id}: ${describeState(task.summary(0))}.`);
    }
    return exitCodes.done;
  },
};

export const bgKillCommand: Command = {
  usage: "<id> [--json]",
  description:
    "Ends a kept background task of the workspace with everything that it started: SIGTERM, then SIGKILL after 2 s.",
  examples: ["bg kill 1001"],
  flags: { ...jsonFlag, ...directoryFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run(context) {
    const { print, args } = context;
    await using found = findTask(context);
    const { access, task, workspace } = found;
    const reader = { key: "", workspace };
    const { task: ended, wasRunning } = await access.kill({ taskId: task.id, by: "user" }, reader);
    if (args.has("json")) print.json({ ...ended, wasRunning });
    else if (wasRunning) print.done(`Task ${task.id}: ${describeState(ended)}.`);
    else print.note(`Task ${task.id} had already ended: ${describeState(ended)}.`);
    return exitCodes.done;
  },
};

/** A line of `bg list`, and the same as data. */
export interface KeptRow {
  readonly entry: object;
  readonly line: string;
}

/** The kept tasks of all workspaces. */
export function keptRows(scorpioxDir: string): readonly KeptRow[] {
  const folders = new TaskFolders(keptFolderIn(scorpioxDir));
  return folders.all().map((task) => {
    const { unreadBytes: outputBytes, ...summary } = task.summary(0);
    const workspace = task.record?.workspace ?? null;
    const place = `kept/${task.id}${workspace === null ? "" : ` in ${workspace}`}`;
    return {
      entry: { ...summary, workspace, outputBytes, startedAt: task.record?.startedAt ?? null },
      line: `${place}  ${describeState(summary)}  ${oneLine(summary.command)}`,
    };
  });
}

interface Found extends AsyncDisposable {
  readonly access: KeptAccess;
  readonly task: KeptTask;
  readonly workspace: string;
}

/** @throws AppError `usage`, `not_found` */
function findTask({ args, io, print }: CommandContext): Found {
  const [text = ""] = args.positionals;
  if (!/^\d{1,9}$/.test(text)) {
    const advice = `Kept tasks have numbers from 1001 on: ${product.name} bg list`;
    throw new AppError("usage", `${text} is not the id of a kept task. ${advice}`);
  }
  const start = readStartUp(args, io);
  const folder = realPathOf(start.cwdFlag ?? io.cwd);
  const scope = { workspace: start.workspaceName ?? folder, owner: "" };
  const log = (line: string): void => print.warning(line);
  const access = new KeptAccess({ scorpioxDir: start.dirs.scorpioxDir, log });
  const workspace = workspaceKeyOf(scope);
  const task = access.parts.folders.find(workspace, Number(text));
  return { access, task, workspace, [Symbol.asyncDispose]: () => access[Symbol.asyncDispose]() };
}

function textOf({ output }: KeptTask): string {
  const texts: string[] = [];
  for (let from = 0; ;) {
    const page = output.read(from, true, pageBytes);
    if (page.lostBytes > 0) texts.push(`[... ${page.lostBytes} bytes were dropped here ...]\n`);
    texts.push(...page.stretches);
    if (page.linesTo <= from) return texts.join("");
    from = page.linesTo;
  }
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
