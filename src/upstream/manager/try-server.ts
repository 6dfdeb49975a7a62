import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { assertWanted } from "../../base/turns.ts";
import { cacheKeyOf } from "../cache/cache-key.ts";
import { loadUpstreamConfig } from "../config/load-upstream-config.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import { isComing } from "../server-state.ts";
import type { TriedServer } from "../tried-server.ts";
import { readLock } from "../trust/lock/read-lock.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { TrialClock } from "./trial-clock.ts";

/**
 * Starts a server as a running program would, until its lists are read or it is known why they are not, and ends it. What
 * was kept of it before does not count (CN2); what it offers at its first contact is approved by that, as ever.
 * @throws AppError `cancelled`
 */
export async function tryServer(
  configured: ConfiguredServer,
  parts: ManagerParts,
  signal: AbortSignal,
): Promise<TriedServer> {
  assertWanted(signal);
  await parts.cache.forget(cacheKeyOf(configured));
  const clock = new TrialClock(parts);
  const changes = new Changes(signal);
  const server = new ManagedServer(
    configured,
    { ...(await partsOfTrial(parts)), ...clock.parts, onChange: changes.tell },
    nobodyListens,
  );
  try {
    await server.apply(configured);
    server.connect();
    while (isComing(server.info().state)) await changes.next();
    clock.onSettled();
    await server.offer.written;
    const info = server.info();
    const isUsable = info.state === "ready" || (info.state === "degraded" && info.era !== null);
    return { info, isUsable, steps: clock.steps(isUsable) };
  } finally {
    await server.close();
  }
}

/** Rules and lock as they are now, and a connection that is shared with nobody. */
async function partsOfTrial(parts: ManagerParts): Promise<ManagerParts> {
  const { projectDir } = parts.options.dirs;
  const { rules } = loadUpstreamConfig(parts.options);
  const lock = projectDir === undefined ? { kind: "absent" as const } : await readLock(projectDir);
  return { ...parts, rules: () => rules, lock: () => lock, pool: new ConnectionPool() };
}

const nobodyListens = { onResourceUpdated() {}, onDown() {}, onConnected() {} };

/** Waits for the next change, or for the end. */
class Changes {
  readonly #signal: AbortSignal;
  #next: Deferred<void> = createDeferred<void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.tell, { once: true });
  }

  readonly tell = (): void => {
    this.#next.resolve();
    this.#next = createDeferred<void>();
  };

  /** @throws AppError `cancelled` */
  async next(): Promise<void> {
    assertWanted(this.#signal);
    await this.#next.promise;
    assertWanted(this.#signal);
  }
}
