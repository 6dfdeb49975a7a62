import { formatDuration } from "../../base/cut-text.ts";
import { describeState } from "../../base/shown-state.ts";
import type { FoundServer } from "../../interact/attach/client/server-directory.ts";
import { listFromServers } from "../upstream-inventory.ts";

export const bgListCommand = listFromServers({
  key: "tasks",
  title: "background tasks",
  entriesOf: tasksOf,
  lineOf,
});

function tasksOf({ facts, state }: FoundServer) {
  return state.background.map((task) => ({
    ...task,
    server: facts.serverId,
    serverPid: facts.pid,
    runtimeMs: task.state === "running" ? Math.max(0, Date.now() - task.startedAt) : task.runtimeMs,
  }));
}

function lineOf(task: ReturnType<typeof tasksOf>[number]): string {
  const place = `${task.serverPid}/${task.client}/${task.taskId}`;
  return `${place}  ${describeState(task)}  ${task.command.replaceAll(/\s+/g, " ")}`;
}

export const callbacksListCommand = listFromServers({
  key: "callbacks",
  title: "callbacks",
  entriesOf: callbacksOf,
  lineOf: callbackLine,
});

function callbacksOf({ facts, state }: FoundServer) {
  return state.callbacks.map((callback) => ({
    ...callback,
    server: facts.serverId,
    serverPid: facts.pid,
  }));
}

function callbackLine(callback: ReturnType<typeof callbacksOf>[number]): string {
  const place = `${callback.serverPid}/${callback.client}/${callback.callbackId}`;
  const inMs = Math.max(0, callback.nextFireAt - Date.now());
  const left = callback.firesLeft === -1 ? "forever" : `${callback.firesLeft} fires left`;
  const message = callback.message.replaceAll(/\s+/g, " ");
  return `${place}  in ${formatDuration(inMs)}, ${left}  ${message}`;
}
