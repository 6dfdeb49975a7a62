import { orAborted } from "../base/cancellation.ts";
import type { FoundServer } from "../interact/attach/client/server-directory.ts";
import { runFolderIn } from "../interact/attach/run-folder.ts";
import { type InventoryTool, toolInventory } from "../upstream/catalogue/tool-inventory.ts";
import { toolCallName, toolSearchName } from "../upstream/search/gateway-tools.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import { awaitServers } from "../upstream/upstreams.ts";
import { exitCodes } from "./command-io.ts";
import type { Command, OpenRouter } from "./command.ts";
import { directoryFlags, jsonFlag } from "./flags.ts";
import { readStartUp, type StartUp } from "./start-up.ts";

/** The offers of the upstream servers, as a command shows them. */
export interface UpstreamInventory {
  readonly tools: readonly InventoryTool[];
  readonly servers: readonly ServerInfo[];
}

interface InventoryWanted {
  readonly server: string | undefined;
  readonly interrupted: AbortSignal;
}

/**
 * Waits for servers that are still unknown.
 * @param server undefined: all
 * @throws {AppError} `cancelled` when the command is interrupted
 */
export async function upstreamInventory(
  open: OpenRouter,
  { config }: StartUp,
  { server, interrupted }: InventoryWanted,
): Promise<UpstreamInventory> {
  const { router, upstreams } = open;
  if (upstreams?.isWanted !== true) return { tools: [], servers: [] };
  await orAborted(awaitServers(upstreams, server), interrupted);
  const searched = (await open.upstreamTools?.({ waits: false })) ?? [];
  const [snapshot, infos] = await Promise.all([upstreams.settled(0), upstreams.infoList()]);
  const own = router.list().map(({ name }) => name);
  const foreign = new Set(snapshot.tools.map(({ name }) => name));
  const tools = toolInventory({
    snapshot,
    searched,
    reserved: [...own.filter((name) => !foreign.has(name)), toolSearchName, toolCallName],
    ownKey: config.settings.mcp.serverName,
  });
  const isMeant = (name: string): boolean => server === undefined || name === server;
  return {
    tools: tools.filter((tool) => isMeant(tool.server)),
    servers: infos.filter(({ name }) => isMeant(name)),
  };
}

interface ServerList<Entry> {
  /** Its name in JSON. */
  readonly key: string;
  /** The plural noun for people. */
  readonly title: string;
  entriesOf(server: FoundServer): readonly Entry[];
  lineOf(entry: Entry): string;
}

/** A command that lists items of this user's running servers. */
export function listFromServers<Entry>(list: ServerList<Entry>): Command {
  const { key, title } = list;
  return {
    usage: "[--json]",
    description: `Lists the ${title} of all servers of this user that run now.`,
    flags: { ...jsonFlag, ...directoryFlags },
    arguments: { min: 0, max: 0 },
    needsPerson: false,
    async run({ args, io, print }) {
      const { askServers } = await import("../interact/attach/client/server-directory.ts");
      const { scorpioxDir } = readStartUp(args, io).dirs;
      const { servers, problems } = await askServers(runFolderIn(scorpioxDir));
      const entries = servers.flatMap((server) => list.entriesOf(server));
      if (args.has("json")) print.json({ [key]: entries });
      else for (const entry of entries) print.row(list.lineOf(entry));
      for (const problem of problems) print.warning(problem);
      if (servers.length === 0) print.note("No server is running.");
      else if (entries.length === 0) print.note(`There are no ${title}.`);
      return problems.length > 0 ? exitCodes.failed : exitCodes.done;
    },
  };
}
