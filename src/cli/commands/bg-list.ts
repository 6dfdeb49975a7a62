import type { FoundServer } from "../../attach/client/ask-servers.ts";
import { runFolderIn } from "../../attach/run-folder.ts";
import { describeState } from "../../base/task-state-text.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { jsonFlag } from "../json-flag.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";

export const bgListCommand: Command = {
  usage: "[--json]",
  description: "Lists the background tasks of all servers of this user that run now.",
  flags: { ...jsonFlag, ...directoryFlags },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print }) {
    const { askServers } = await import("../../attach/client/ask-servers.ts");
    const { scorpioxDir } = readStartUp(args, io).dirs;
    const { servers, problems } = await askServers(runFolderIn(scorpioxDir));
    const tasks = servers.flatMap(tasksOf);
    if (args.has("json")) print.json({ tasks });
    else for (const line of tasks.map(lineOf)) print.line(line);
    for (const problem of problems) print.warning(problem);
    if (servers.length === 0) print.note("No server runs.");
    else if (tasks.length === 0) print.note("There are no background tasks.");
    return problems.length > 0 ? exitCodes.failed : exitCodes.done;
  },
};

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
