import { type Fleet, openFleet } from "../../../src/fleet/open-fleet.ts";
import type { ReplicaClock } from "../../../src/fleet/replicas/replica.ts";

/** One replica of a fleet in this process, with connections of its own. */
export interface TestReplica extends Fleet {
  readonly warnings: readonly string[];
  /** Breaks off as a killed process would: nothing is given back. */
  vanish(): void;
}

export const fleetKey = "a secret of all replicas in the tests";

/** @param url of the engine */
export async function startReplica(
  url: string,
  { now, key = fleetKey }: { readonly now?: ReplicaClock; readonly key?: string } = {},
): Promise<TestReplica> {
  const warnings: string[] = [];
  const fleet = await openFleet({
    sharedUrl: url,
    fleetName: "test",
    readSecret: () => key,
    warn: (message) => void warnings.push(message),
    ...(now === undefined ? {} : { now }),
  });
  const vanish = (): void => {
    for (const part of [fleet.tail, fleet.channels, fleet.engine]) part[Symbol.dispose]();
  };
  return Object.assign(fleet, { warnings, vanish });
}
