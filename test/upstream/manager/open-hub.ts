import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { type HoldExclusive, SharedRuntime } from "../../../src/upstream/manager/shared-runtime.ts";
import type { ConnectionTime } from "../../../src/upstream/manager/connection-parts.ts";
import type { UpstreamOptions } from "../../../src/upstream/worker/upstream-options.ts";
import { type Opened, openPlace, type Place } from "./open-work.ts";

/** The works of several clients on one thread, as in the hub. */
export interface Hub extends Place {
  readonly shared: SharedRuntime;
  /** Another client, started. @param projectName another project than that of the place */
  client(options?: Partial<UpstreamOptions>, projectName?: string): Promise<Opened>;
  /** Pids of all processes that were started by any client. */
  readonly pids: () => readonly number[];
}

/** @param lingerMs and `hold` as for `SharedRuntime` */
export async function openHub(
  connectionTime?: ConnectionTime,
  lingerMs?: number,
  hold?: HoldExclusive,
): Promise<Hub> {
  const place = await openPlace();
  const loginPath = (): Promise<string> => Promise.resolve("/login/bin:/usr/bin:/bin");
  const user = { name: "user", homeDir: place.home, shell: "/bin/sh" };
  const shared = new SharedRuntime({ user, loginPath }, lingerMs, hold);
  const clients: Opened[] = [];
  return {
    ...place,
    shared,
    pids: () => clients.flatMap(({ processes }) => processes.map(({ pid }) => pid)),
    async client(options = {}, projectName?: string) {
      const projectDir = projectName === undefined ? place.project : join(place.home, projectName);
      mkdirSync(projectDir, { recursive: true });
      const scorpioxDir = join(place.home, ".scorpiox");
      const dirs = { homeDir: place.home, scorpioxDir, executableDir: "/none", projectDir };
      const client = place.open({ dirs, ...options }, connectionTime, shared);
      clients.push(client);
      await client.work.start();
      return client;
    },
  };
}
