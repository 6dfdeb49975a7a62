import { orAborted } from "../base/cancellation.ts";
import { type InventoryTool, toolInventory } from "../upstream/catalogue/tool-inventory.ts";
import { toolCallName, toolSearchName } from "../upstream/deferred/gateway-tools.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import { awaitServers } from "../upstream/upstreams.ts";
import type { OpenRouter } from "./command.ts";
import type { StartUp } from "./start-up.ts";

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
