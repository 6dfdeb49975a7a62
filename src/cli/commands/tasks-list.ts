import { formatAmount, formatCount } from "../../base/amount-text.ts";
import { oneLine } from "../../base/cut-text.ts";
import type { Task, TaskReply } from "../../state/store/tasks/task-records.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { jsonFlag } from "../json-flag.ts";
import type { Printer } from "../print.ts";
import { startUp, startUpFlags } from "../start-up.ts";
import { askStore, hasStore, taskScope } from "../task-store.ts";

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
  run({ args, io, print }) {
    const start = startUp(args, io, print);
    const action = args.has("pending") ? "pending" : "list";
    const request = { action, words: args.positionals, charsMax } as const;
    const scope = taskScope(start, io);
    const call = { method: "tasks.perform", request: { scope, request } } as const;
    const reply = hasStore(start) ? (askStore(start, call, print) as TaskReply) : nothing;
    if (args.has("json")) print.json(shapeOf(reply));
    else printTasks(reply, print);
    return Promise.resolve(exitCodes.done);
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
