import type { FoundServer } from "../../attach/client/ask-servers.ts";
import { runFolderIn } from "../../attach/run-folder.ts";
import { formatDuration } from "../../base/amount-text.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { jsonFlag } from "../json-flag.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";

export const callbacksListCommand: Command = {
  usage: "[--json]",
  description: "Lists the callbacks of all servers of this user that run now.",
  flags: { ...jsonFlag, ...directoryFlags },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print }) {
    const { askServers } = await import("../../attach/client/ask-servers.ts");
    const { scorpioxDir } = readStartUp(args, io).dirs;
    const { servers, problems } = await askServers(runFolderIn(scorpioxDir));
    const callbacks = servers.flatMap(callbacksOf);
    if (args.has("json")) print.json({ callbacks });
    else for (const line of callbacks.map(lineOf)) print.line(line);
    for (const problem of problems) print.warning(problem);
    if (servers.length === 0) print.note("No server runs.");
    else if (callbacks.length === 0) print.note("There are no callbacks.");
    return problems.length > 0 ? exitCodes.failed : exitCodes.done;
  },
};

function callbacksOf({ facts, state }: FoundServer) {
  return state.callbacks.map((callback) => ({
    ...callback,
    server: facts.serverId,
    serverPid: facts.pid,
  }));
}

function lineOf(callback: ReturnType<typeof callbacksOf>[number]): string {
  const place = `${callback.serverPid}/${callback.client}/${callback.callbackId}`;
  const inMs = Math.max(0, callback.nextFireAt - Date.now());
  const left = callback.firesLeft === -1 ? "for ever" : `${callback.firesLeft} fires left`;
  const message = callback.message.replaceAll(/\s+/g, " ");
  return `${place}  in ${formatDuration(inMs)}, ${left}  ${message}`;
}
