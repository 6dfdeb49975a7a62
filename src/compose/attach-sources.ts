import { Cancellation } from "../base/cancellation.ts";
import { cutEnd } from "../base/cut-text.ts";
import { sha256Hex } from "../base/digests.ts";
import { AppError } from "../base/errors.ts";
import {
  attachEntriesMax,
  attachTextCharsMax,
  shownCommandCharsMax,
  terminateGraceMs,
} from "../base/limits.ts";
import type { EventStream, StateScope } from "../base/server-events.ts";
import type { CallRequest, ClientContext } from "../calls/call.ts";
import { isKeptId, type KeptCommands } from "../calls/router/kept-commands.ts";
import { scopeOf, type StateServices } from "../calls/state-calls.ts";
import type { CallingClients } from "../calls/gate/calling-clients.ts";
import type { BackgroundTask } from "../commands/background/client-tasks.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import type { HubStatus } from "../hub/watch/hub-status.ts";
import type {
  BackgroundEntry,
  CallbackEntry,
  ClientEntry,
  ClientKey,
  HubEntry,
  InstanceFacts,
  InstanceState,
  PlanEntry,
  TaskEntry,
  WorkEntry,
} from "../interact/attach/messages.ts";
import type { AttachSources } from "../interact/attach/terminal-connection.ts";
import type { TaskSummary } from "../tools/services.ts";
import type { Callback, PlanState, Task, TaskReply } from "../tools/state-services.ts";

export interface AttachSourceParts {
  readonly facts: InstanceFacts;
  /** The page shows the tasks and plans of the most recent callers. */
  readonly clients: Pick<CallingClients, "recent">;
  readonly supervisor: Pick<Supervisor, "tasksOf">;
  readonly kept: Pick<KeptCommands, "list" | "kill" | "followed">;
  readonly services: Pick<StateServices, "tasks" | "plan" | "callbacks">;
  readonly events: EventStream;
  /** The hub that this server uses; undefined while it uses none. */
  readonly hub: () => Promise<HubStatus | undefined>;
}

/** The sources of the content that terminals show: the services, asked as if by a client. */
export function createAttachSources(parts: AttachSourceParts): AttachSources {
  const { facts, clients, supervisor, kept, services, events } = parts;
  const findClient = (key: string): ClientContext | undefined =>
    clients.recent().find(({ id }) => keyOf(id) === key);
  const findTask = (key: string, taskId: number): BackgroundTask | undefined => {
    const client = findClient(key);
    if (client === undefined) return undefined;
    return supervisor
      .tasksOf(client.id)
      .executions()
      .find(({ id }) => id === taskId);
  };
  return {
    facts,
    state: () => readState(parts),
    executionOf(key, taskId) {
      if (!isKeptId(taskId)) return findTask(key, taskId)?.execution;
      const client = findClient(key);
      return client === undefined ? undefined : kept.followed(taskId, client);
    },
    async kill(key, taskId) {
      if (isKeptId(taskId)) {
        const client = findClient(key);
        if (client === undefined) throw gone(`background task ${taskId}`);
        await kept.kill(taskId, "user", client);
        return;
      }
      const task = findTask(key, taskId);
      if (task === undefined) throw gone(`background task ${taskId}`);
      await task.execution.terminate("user", terminateGraceMs);
      await task.execution.ended;
    },
    async cancelCallback(key, callbackId) {
      const client = findClient(key);
      if (client === undefined) throw gone(`callback ${callbackId}`);
      await services.callbacks.perform({ action: "cancel", callbackId }, lookFor(client));
    },
    listen: (onChange) => events.listen(onChange),
  };
}

/** The id of a session lets its holder into it: what is shown of it does not. */
function keyOf(clientId: string): ClientKey {
  if (clientId === "stdio") return clientId;
  return sha256Hex(clientId).slice(0, 8);
}

async function readState(parts: AttachSourceParts): Promise<InstanceState> {
  const clients = parts.clients.recent();
  const scopes = await Promise.all(clients.map((client) => scopeFor(client)));
  const callbacks = await Promise.all(clients.map((client) => callbacksOf(parts, client)));
  const background = await Promise.all(clients.map((client) => backgroundOf(parts, client)));
  const hub = hubEntry(await orUndefined(parts.hub()), parts.facts.pid);
  return {
    clients: clients.map((client, index): ClientEntry => {
      return { client: keyOf(client.id), workspace: "", owner: "", ...scopes[index] };
    }),
    background: newestTasks(background.flat()),
    callbacks: callbacks.flat(),
    work: await readWork(parts, clients, scopes),
    ...(hub !== undefined && { hub }),
  };
}

/** Undefined for a hub that does nothing for this process. */
function hubEntry(status: HubStatus | undefined, ownPid: number): HubEntry | undefined {
  if (status === undefined || status.clients.every(({ pid }) => pid !== ownPid)) return undefined;
  const servers = status.servers
    .filter(({ users }) => users.includes(ownPid))
    .slice(0, attachEntriesMax)
    .map(({ name, state, users }) => ({ name: cut(name), state, clients: users.length }));
  const kept = status.kept.filter(({ state }) => state === "running").length;
  return { pid: status.pid, servers, kept };
}

async function backgroundOf(
  { supervisor, kept }: AttachSourceParts,
  client: ClientContext,
): Promise<InstanceState["background"]> {
  const key = keyOf(client.id);
  const own = supervisor.tasksOf(client.id).executions();
  const outliving = (await orUndefined(kept.list(client))) ?? [];
  return [
    ...own.map((task) => backgroundEntry(key, task)),
    ...outliving.map((task) => keptEntry(key, task)),
  ];
}

async function callbacksOf(
  { services }: AttachSourceParts,
  client: ClientContext,
): Promise<InstanceState["callbacks"]> {
  const request = services.callbacks.perform({ action: "list" }, lookFor(client));
  const reply = await orUndefined(request);
  return (reply?.callbacks ?? []).map((callback) => callbackEntry(keyOf(client.id), callback));
}

/** Several clients may share a workspace. */
async function readWork(
  { services }: AttachSourceParts,
  clients: readonly ClientContext[],
  scopes: readonly (StateScope | undefined)[],
): Promise<readonly WorkEntry[]> {
  const byScope = new Map<string, { scope: StateScope; client: ClientContext }>();
  for (const [index, client] of clients.entries()) {
    const scope = scopes[index];
    if (scope !== undefined) byScope.set(JSON.stringify(scope), { scope, client });
  }
  return Promise.all(
    [...byScope.values()].map(async ({ scope, client }) => {
      const call = lookFor(client);
      const [tasks, plan] = await Promise.all([
        orUndefined(services.tasks.perform({ action: "list", words: [] }, call)),
        orUndefined(services.plan.status(call)),
      ]);
      return workEntry(scope, tasks, plan?.state);
    }),
  );
}

function scopeFor(client: ClientContext): Promise<StateScope | undefined> {
  return orUndefined(scopeOf(client));
}

/** Unreadable state is not shown; the tools that need it report why. */
async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch {
    return undefined;
  }
}

/** A call of nobody's, in the name of a client. */
function lookFor(client: ClientContext): CallRequest {
  return {
    name: "attach",
    args: {},
    version: "2026-07-28",
    client,
    cancellation: new Cancellation(),
  };
}

function gone(what: string): AppError {
  return new AppError("not_found", `There is no ${what} any more.`);
}

/** Fires are shown to the second. */
const fireStepMs = 1_000;

function backgroundEntry(client: ClientKey, { id, execution }: BackgroundTask): BackgroundEntry {
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

/** When it was started is shown to the second: it follows from how long it has run. */
function keptEntry(client: ClientKey, task: TaskSummary): BackgroundEntry {
  const { taskId, command, state, exitCode, signal, endedBy, pid, runtimeMs } = task;
  const isRunning = state === "running";
  const startedAt = Math.round((Date.now() - runtimeMs) / 1_000) * 1_000;
  return {
    client,
    taskId,
    command,
    startedAt: isRunning ? startedAt : 0,
    state,
    exitCode,
    signal,
    endedBy,
    pid,
    runtimeMs: isRunning ? 0 : runtimeMs,
  };
}

/** The running ones, and of the others the newest; newest first. */
function newestTasks(entries: readonly BackgroundEntry[]): readonly BackgroundEntry[] {
  const rank = ({ state }: BackgroundEntry): number => (state === "running" ? 0 : 1);
  return entries
    .toSorted((one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt)
    .slice(0, attachEntriesMax);
}

function callbackEntry(client: ClientKey, callback: Callback): CallbackEntry {
  const { callbackId, message, delaySeconds, nextFireMs, firesLeft } = callback;
  const nextFireAt = Math.round((Date.now() + nextFireMs) / fireStepMs) * fireStepMs;
  return { client, callbackId, message: cut(message), delaySeconds, nextFireAt, firesLeft };
}

function workEntry(
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
