import type {
  BackgroundEntry,
  CallbackEntry,
  ClientKey,
  PlanEntry,
  TaskEntry,
  WorkEntry,
} from "../interact/attach/messages.ts";
import type { BackgroundTask } from "../commands/background/client-tasks.ts";
import { cutEnd } from "../base/cut-text.ts";
import { attachEntriesMax, attachTextCharsMax, shownCommandCharsMax } from "../base/limits.ts";
import type { StateScope } from "../base/server-events.ts";
import type { Callback } from "../tools/callback-service.ts";
import type { PlanState } from "../tools/plan-service.ts";
import type { Task, TaskReply } from "../tools/task-service.ts";

/** Fires are shown to the second. */
const fireStepMs = 1_000;

export function backgroundEntry(
  client: ClientKey,
  { id, execution }: BackgroundTask,
): BackgroundEntry {
  return {
    client,
    taskId: id,
    command: cutEnd(execution.commandText, shownCommandCharsMax),
    startedAt: execution.startedAt,
    state: execution.state,
    exitCode: execution.exit?.exitCode ?? null,
    signal: execution.exit?.signal ?? null,
    endedBy: execution.endReason ?? null,
    pid: execution.pid,
    // Of a running one it would change with every look.
    runtimeMs: execution.isRunning ? 0 : execution.durationMs,
  };
}

/** The running ones, and of the others the newest; newest first. */
export function newestTasks(entries: readonly BackgroundEntry[]): readonly BackgroundEntry[] {
  const rank = ({ state }: BackgroundEntry): number => (state === "running" ? 0 : 1);
  return entries
    .toSorted((one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt)
    .slice(0, attachEntriesMax);
}

export function callbackEntry(client: ClientKey, callback: Callback): CallbackEntry {
  const { callbackId, message, delaySeconds, nextFireMs, firesLeft } = callback;
  const nextFireAt = Math.round((Date.now() + nextFireMs) / fireStepMs) * fireStepMs;
  return { client, callbackId, message: cut(message), delaySeconds, nextFireAt, firesLeft };
}

export function workEntry(
  { workspace, owner }: StateScope,
  tasks: TaskReply | undefined,
  plan: PlanState | undefined,
): WorkEntry {
  return {
    workspace,
    owner,
    tasks: (tasks?.tasks ?? []).slice(-attachEntriesMax).map(taskEntry),
    currentTaskId: tasks?.currentTaskId ?? null,
    total: tasks?.total ?? 0,
    pending: tasks?.pending ?? 0,
    plan: plan === undefined ? null : planEntry(plan),
  };
}

function taskEntry({ taskId, text, isDone, steps, stepCount, stepsDone }: Task): TaskEntry {
  const shown = steps.slice(0, attachEntriesMax);
  return {
    taskId,
    text: cut(text),
    isDone,
    steps: shown.map(({ stepId, text: words, isDone: isStepDone }) => {
      return { stepId, text: cut(words), isDone: isStepDone };
    }),
    stepCount,
    stepsDone,
  };
}

function planEntry({ active, goal, planFile, startedAtMs }: PlanState): PlanEntry {
  return { active, goal: goal === null ? null : cut(goal), planFile, startedAt: startedAtMs };
}

function cut(text: string): string {
  return cutEnd(text, attachTextCharsMax);
}
