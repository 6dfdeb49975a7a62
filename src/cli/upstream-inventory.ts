import { upstreamSearchWaitMs, upstreamToolsWaitMs } from "../base/limits.ts";
import { type InventoryTool, toolInventory } from "../upstream/catalogue/tool-inventory.ts";
import { toolCallName, toolSearchName } from "../upstream/deferred/gateway-tools.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import type { OpenRouter } from "./command.ts";
import type { StartUp } from "./start-up.ts";

/** What other servers offer, as a command shows it. */
export interface UpstreamInventory {
  readonly tools: readonly InventoryTool[];
  readonly servers: readonly ServerInfo[];
}

/**
 * Waits for servers of which nothing is known yet, for half a minute at most; for those that were never heard of, some
 * seconds, but for the one that is asked for.
 * @param server undefined: all
 */
export async function upstreamInventory(
  open: OpenRouter,
  { config }: StartUp,
  server: string | undefined,
): Promise<UpstreamInventory> {
  const { router, upstreams } = open;
  if (upstreams?.isWanted !== true) return { tools: [], servers: [] };
  await awaitServers(upstreams, server);
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

/** Those that an earlier run never heard of are not awaited by anybody else. */
export async function awaitServers(upstreams: Upstreams, server?: string): Promise<void> {
  await upstreams.settled(upstreamToolsWaitMs);
  const starting = (await upstreams.infoList()).filter(({ name, state, era }) => {
    return state === "starting" && era === null && (server === undefined || name === server);
  });
  const waitMs = server === undefined ? upstreamSearchWaitMs : upstreamToolsWaitMs;
  await Promise.all(
    starting.map(({ name }) => upstreams.control({ kind: "connect", server: name, waitMs })),
  );
}
