import { readFileSync, readlinkSync } from "node:fs";

import { shutdownGraceMs } from "../../base/limits.ts";
import type { Ledger, LiveGroup, ServerInstance } from "../../state/store/tables.ts";
import { loadLimitMarks } from "../process/command-limits.ts";
import {
  isGroupAlive,
  isMarkOf,
  isProcessAlive,
  listProcesses,
  ownerMark,
  ownerVariable,
  readProcStat,
  readProcVariable,
  type SentSignal,
  signalGroup,
  signalProcess,
} from "../process/processes.ts";

/** This run of the server, as the ledger names it. */
export function describeInstance(id: string): ServerInstance {
  const startTicks = readProcStat(process.pid)?.startTicks ?? 0;
  return { id, pid: process.pid, startTicks, bootId: bootId() };
}

/**
 * Ends processes that earlier runs left behind and forgets those runs. A run whose server is alive is not
 * touched, nor is anything after a reboot.
 * @returns how many runs were cleaned up after
 */
export async function endLeftovers(ledger: Ledger): Promise<number> {
  const dead = ledger
    .instances()
    .filter((instance) => !isElsewhere(instance) && !isAlive(instance));
  for (const instance of dead) {
    // Without a boot id (macOS) a process id may belong to another process.
    if (instance.bootId !== "" && instance.bootId === bootId())
      await endRemainsOf(instance, ledger.groupsOf(instance.id));
    ledger.removeInstance(instance.id);
  }
  return dead.length;
}

/** Runs in another container of this boot: whether it is alive cannot be seen from here. */
function isElsewhere({ bootId: other }: ServerInstance): boolean {
  const [boot, namespace] = bootId().split(" ");
  const [otherBoot, otherNamespace] = other.split(" ");
  return boot !== "" && boot === otherBoot && namespace !== otherNamespace;
}

function isAlive({ pid, startTicks, bootId: boot }: ServerInstance): boolean {
  if (boot !== bootId() || !isProcessAlive(pid)) return false;
  const stat = readProcStat(pid);
  return stat === undefined || (stat.startTicks === startTicks && stat.state !== "Z");
}

async function endRemainsOf(instance: ServerInstance, groups: readonly LiveGroup[]): Promise<void> {
  const own = groups.filter(isSameGroup);
  if (!signalRemains(instance, own, "SIGTERM")) return;
  signalRemains(instance, own, "SIGCONT");
  await Bun.sleep(shutdownGraceMs);
  signalRemains(instance, own, "SIGKILL");
}

/** False when the id now belongs to somebody else's group: its leader is another process. */
function isSameGroup({ groupId, startTicks }: LiveGroup): boolean {
  if (!isGroupAlive(groupId)) return false;
  const leader = readProcStat(groupId);
  return leader === undefined || leader.startTicks === startTicks;
}

function signalRemains(
  instance: ServerInstance,
  groups: readonly LiveGroup[],
  signal: SentSignal,
): boolean {
  let found = false;
  for (const { groupId } of groups) found = signalGroup(groupId, signal) || found;
  for (const pid of listProcesses()) {
    if (!isRemainOf(instance, pid)) continue;
    found = signalProcess(pid, signal) || found;
  }
  return found;
}

/** Its second mark is looked for as well: processes that wipe their environment keep it. */
function isRemainOf({ id }: ServerInstance, pid: number): boolean {
  if (isMarkOf(id, readProcVariable(pid, ownerVariable))) return true;
  return loadLimitMarks()?.isOf(pid, ownerMark(id, 0)) !== undefined;
}

let knownBootId: string | undefined;

/** Names this boot of the machine and the space of process numbers; empty where the system does not say. */
export function bootId(): string {
  knownBootId ??= readBootId();
  return knownBootId;
}

function readBootId(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    // A container shares the boot, and perhaps the home, but not the numbers of processes.
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}
