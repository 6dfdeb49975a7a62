import type { FoundServer } from "../../interact/attach/client/ask-servers.ts";
import { describeState } from "../../base/task-state-text.ts";
import { listFromServers } from "../list-from-servers.ts";

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
