import { formatCount } from "../base/amount-text.ts";
import { oneLine } from "../base/cut-text.ts";
import type { Task, TaskRequest, TasksReply } from "./task-service.ts";

/** A reply of TaskManager as text: what was done, the tasks with ids and marks, counts. */
export function describeTasks(request: TaskRequest, reply: TasksReply): string {
  const [task] = reply.tasks;
  const lines = [...reply.notices, ...bodyOf(request, reply, task), countLine(reply)];
  return lines.join("\n");
}

/** The tasks as lines: `[x]` is done, steps are indented. */
function taskLines({ tasks, currentTaskId }: TasksReply): string[] {
  return tasks.flatMap((task) => [
    taskLine(task, task.taskId === currentTaskId),
    ...task.steps.map((step) => `    ${markOf(step)} step ${step.stepId}: ${onOneLine(step.text)}`),
  ]);
}

function bodyOf(request: TaskRequest, reply: TasksReply, task: Task | undefined): string[] {
  if (request.action === "list" || request.action === "pending") {
    return listBody(request, reply);
  }
  if (task === undefined) return [];
  switch (request.action) {
    case "create":
      return [`Task ${task.taskId} was created and is the current one.`, ...taskLines(reply)];
    case "add": {
      const step = `Step ${reply.stepId} was added to task ${task.taskId}${stepNote(task)}.`;
      return [step, ...taskLines(reply)];
    }
    case "complete":
      return request.stepId === null
        ? completedTask(reply, task)
        : completedStep(reply, task, request.stepId);
    case "switch": {
      const state = reply.isChanged ? "is the current one now" : "was the current one already";
      return [`Task ${task.taskId} ${state}.`, ...taskLines(reply), ...cutNote(reply)];
    }
  }
}

function completedTask({ currentTaskId, isChanged }: TasksReply, task: Task): string[] {
  const { taskId, stepCount, stepsDone } = task;
  const fact = `Task ${taskId} ${isChanged ? "is completed" : "was completed before"}: ${onOneLine(task.text)}`;
  const open = stepCount - stepsDone;
  const steps = open === 0 ? [] : [`${open} of its ${stepCount} steps are not done.`];
  const current = currentTaskId === null ? ["No task is current now."] : [];
  return [fact, ...steps, ...current];
}

function completedStep(reply: TasksReply, task: Task, stepId: number): string[] {
  const state = reply.isChanged ? "is done" : "was done before";
  const fact = `Step ${stepId} of task ${task.taskId} ${state}${stepNote(task)}.`;
  const next = task.steps.find(({ isDone }) => !isDone);
  if (next !== undefined) return [fact, `Next is step ${next.stepId}: ${onOneLine(next.text)}`];
  if (task.isDone) return [fact];
  return [fact, `That was the last one: task ${task.taskId} can be completed.`];
}

function listBody(
  { action, words }: Extract<TaskRequest, { action: "list" | "pending" }>,
  reply: TasksReply,
): string[] {
  if (reply.matching === 0) {
    if (words.length === 0) return [action === "list" ? "No tasks." : "Nothing is pending."];
    return [`No ${action === "list" ? "" : "pending "}task has the words ${words.join(" ")}.`];
  }
  return [...taskLines(reply), ...cutNote(reply)];
}

function cutNote({ isCut, matching, tasks }: TasksReply): string[] {
  const leftOut = matching - tasks.length;
  if (leftOut > 0) {
    const count = `${formatCount(leftOut)} more of ${formatCount(matching)} tasks have no room here`;
    return [`[${count}: done and older ones. Find them by words in query.]`];
  }
  return isCut ? ["[Long texts and some steps are cut here; fewer tasks are shown whole.]"] : [];
}

function countLine({ total, pending, currentTaskId }: TasksReply): string {
  const current = currentTaskId === null ? "none" : `task ${currentTaskId}`;
  const tasks = total === 1 ? "1 task" : `${formatCount(total)} tasks`;
  return `${tasks}, ${formatCount(pending)} pending; current: ${current}.`;
}

function taskLine(task: Task, isCurrent: boolean): string {
  const current = isCurrent ? " (current)" : "";
  return `${markOf(task)} task ${task.taskId}: ${onOneLine(task.text)}${current}${stepNote(task)}`;
}

function stepNote({ stepCount, stepsDone }: Task): string {
  return stepCount === 0 ? "" : ` (${stepsDone} of ${stepCount} steps done)`;
}

function markOf({ isDone }: { readonly isDone: boolean }): string {
  return isDone ? "[x]" : "[ ]";
}

function onOneLine(text: string): string {
  return oneLine(text, text.length);
}
