import { formatDuration } from "../../base/cut-text.ts";
import { describeState } from "../../base/shown-state.ts";
import { isKeptId } from "../../calls/router/kept-commands.ts";
import type { FoundServer } from "../../interact/attach/client/server-directory.ts";
import { runFolderIn } from "../../interact/attach/run-folder.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { directoryFlags, jsonFlag } from "../flags.ts";
import { readStartUp } from "../start-up.ts";
import type { KeptRow } from "./bg-kept.ts";

export const bgListCommand = listFromServers({
  key: "tasks",
  title: "background tasks",
  description:
    "Lists the background tasks of all servers of this user that run now, and the kept tasks of all workspaces.",
  entriesOf: tasksOf,
  lineOf,
  async more(scorpioxDir) {
    const { keptRows } = await import("./bg-kept.ts");
    return keptRows(scorpioxDir);
  },
});

function tasksOf({ facts, state }: FoundServer) {
  // Kept tasks are listed once, and not for each client of their workspace.
  const own = state.background.filter(({ taskId }) => !isKeptId(taskId));
  return own.map((task) => ({
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

interface ServerList<Entry> {
  /** Its name in JSON. */
  readonly key: string;
  /** The plural noun for people. */
  readonly title: string;
  /** The description of the command; absent: the usual one. */
  readonly description?: string;
  /** Items that belong to none of the servers. */
  more?(scorpioxDir: string): Promise<readonly KeptRow[]>;
  entriesOf(server: FoundServer): readonly Entry[];
  lineOf(entry: Entry): string;
}

/** A command that lists items of this user's running servers. */
function listFromServers<Entry>(list: ServerList<Entry>): Command {
  const { key, title } = list;
  return {
    usage: "[--json]",
    description: list.description ?? `Lists the ${title} of all servers of this user that run now.`,
    flags: { ...jsonFlag, ...directoryFlags },
    arguments: { min: 0, max: 0 },
    needsPerson: false,
    async run({ args, io, print }) {
      const { askServers } = await import("../../interact/attach/client/server-directory.ts");
      const { scorpioxDir } = readStartUp(args, io).dirs;
      const { servers, problems } = await askServers(runFolderIn(scorpioxDir));
      const entries = servers.flatMap((server) => list.entriesOf(server));
      const more = (await list.more?.(scorpioxDir)) ?? [];
      if (args.has("json")) print.json({ [key]: [...entries, ...more.map(({ entry }) => entry)] });
      else {
        for (const entry of entries) print.row(list.lineOf(entry));
        for (const { line } of more) print.row(line);
      }
      for (const problem of problems) print.warning(problem);
      if (servers.length === 0) print.note("No server is running.");
      else if (entries.length + more.length === 0) print.note(`There are no ${title}.`);
      return problems.length > 0 ? exitCodes.failed : exitCodes.done;
    },
  };
}
