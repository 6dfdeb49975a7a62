import { setTimeout as sleep } from "node:timers/promises";

import { upstreamSearchWaitMs, upstreamToolsWaitMs } from "../base/upstream-limits.ts";
import { isComing } from "./server-state.ts";
import type { UpstreamSnapshot } from "./snapshot.ts";
import type { Upstreams } from "./upstreams.ts";

/**
 * Waits until it is known of each server what it offers, or why that is not known: for half a minute at most. Those that
 * were tried before and never heard of are not awaited by lists: here for some seconds, and as long as any other when one is
 * asked for by name. Never rejects because of a server.
 * @param server undefined: all
 */
export async function awaitServers(upstreams: Upstreams, server?: string): Promise<void> {
  await upstreams.settled(upstreamToolsWaitMs);
  const starting = (await upstreams.infoList()).filter(({ name, state, era }) => {
    return isComing(state) && era === null && (server === undefined || name === server);
  });
  const waitMs = server === undefined ? upstreamSearchWaitMs : upstreamToolsWaitMs;
  const waits = starting.map(({ name }) => {
    return upstreams.control({ kind: "connect", server: name, waitMs });
  });
  // One that has gone from the configuration meanwhile is nobody's loss.
  await Promise.allSettled(waits);
  if (starting.length > 0) await caughtUp(upstreams);
}

/** A snapshot comes a moment after what it tells of. */
async function caughtUp(upstreams: Upstreams): Promise<void> {
  const deadline = performance.now() + snapshotLagMsMax;
  const infos = await upstreams.infoList();
  const known = infos.filter(({ state }) => !isComing(state)).map(({ name }) => name);
  const isBehind = ({ servers = [] }: Partial<UpstreamSnapshot> = {}): boolean =>
    servers.some(({ name, state }) => isComing(state) && known.includes(name));
  while (isBehind(upstreams.snapshot) && performance.now() < deadline) await sleep(lookMs);
}

/** Far more than a snapshot takes. */
const snapshotLagMsMax = 2_000;
const lookMs = 10;
