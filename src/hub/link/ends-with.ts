import { readFileSync } from "node:fs";

import { type LookAt, lookAtProcesses, originOf } from "../../commands/process/process-origin.ts";

/**
 * The process or the service with which a hub ends although clients may still need it, in words; undefined when it has left the process
 * that started it. To be asked when the hub begins: later that process may be gone.
 * @param starter the parent of the hub
 */
export async function starterThatEnds(starter = process.ppid): Promise<string | undefined> {
  return starterIn(starter, await lookAtProcesses());
}

/** A server ends all that a command of its leaves behind, whatever that is. */
export function starterIn(starter: number, lookAt: LookAt | undefined): string | undefined {
  if (lookAt === undefined || starter <= 1) return undefined;
  const origin = originOf(starter, lookAt);
  const isBelowServer = origin.kind === "server" || origin.kind === "mark";
  return isBelowServer ? `process ${origin.pid}` : undefined;
}

/** The service of systemd that this process is in and ends with; undefined in a scope of its own, or of a session. */
export function serviceThatEnds(cgroups = readCgroups()): string | undefined {
  const line = cgroups.split("\n").find((one) => /^0::|^\d+:name=systemd:/.test(one));
  const unit = line?.slice(line.lastIndexOf("/") + 1) ?? "";
  // The user's manager is a service itself: it ends with the last session.
  return unit.endsWith(".service") && !unit.startsWith("user@") ? unit : undefined;
}

function readCgroups(): string {
  try {
    return readFileSync("/proc/self/cgroup", "utf8");
  } catch {
    return "";
  }
}
