import type { UpstreamTool, UpstreamToolsWanted } from "../cli/command.ts";
import { awaitServers } from "../upstream/upstreams.ts";
import type { LazyUpstreams } from "./lazy-upstreams.ts";

/** For commands: the tools of upstream servers that may be called. */
export async function upstreamTools(
  upstreams: LazyUpstreams,
  { server, waits }: UpstreamToolsWanted,
): Promise<readonly UpstreamTool[]> {
  if (!upstreams.isWanted) return [];
  await (waits ? awaitServers(upstreams, server) : upstreams.settled(0));
  const wanted = server === undefined ? {} : { server };
  const reply = await upstreams.control({ kind: "tools", ...wanted });
  // Our own Worker says so.
  return Array.isArray(reply) ? (reply as readonly UpstreamTool[]) : [];
}
