import { upstreamToolsWaitMs } from "../base/limits.ts";
import type { UpstreamTool, UpstreamToolsWanted } from "../cli/command.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { LazyUpstreams } from "./lazy-upstreams.ts";

/** For commands: the tools of other servers that may be called. */
export async function upstreamTools(
  upstreams: LazyUpstreams,
  { server, waits }: UpstreamToolsWanted,
): Promise<readonly UpstreamTool[]> {
  if (!upstreams.isWanted) return [];
  await upstreams.settled(waits ? upstreamToolsWaitMs : 0);
  const wanted = server === undefined ? {} : { server };
  const reply = await upstreams.control({ kind: "tools", ...wanted });
  const entries: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return entries.filter(isUpstreamTool);
}

/** Comes from our own Worker, which holds it to its type. */
function isUpstreamTool(value: unknown): value is UpstreamTool {
  return isObject(value) && typeof value.server === "string" && isObject(value.listing);
}
