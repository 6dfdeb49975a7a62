import { readdirSync, readFileSync } from "node:fs";

import { shutdownGraceMs, shutdownGraceMsMin, shutdownKillMs } from "../../base/limits.ts";
import type { Family, Orphanage } from "./orphanage.ts";
import {
  isGroupAlive,
  listProcesses,
  type ProcStat,
  readProcStat,
  type SentSignal,
  signalGroup,
  signalProcess,
} from "./processes.ts";

/** Sends `signal` to every member of the family that can be found. False when there was none. */
function signalFamily(orphanage: Orphanage, family: Family, signal: SentSignal): boolean {
  let found = isGroupAlive(family.groupId) && signalMembers(family, signal);
  for (const orphan of orphanage.adoptedOf(family)) {
    found = true;
    signalOrphan(orphan, family, signal);
  }
  return found;
}

function signalMembers({ groupId, isOverseen }: Family, signal: SentSignal): boolean {
  if (isOverseen !== true || signal === "SIGKILL") return signalGroup(groupId, signal);
  // Nothing below: the command has not started, and an overseer that is only asked may yet start it.
  return signalBelow(groupId, signal) || signalGroup(groupId, "SIGKILL");
}

function signalOrphan(orphan: ProcStat, family: Family, signal: SentSignal): void {
  if (orphan.groupId !== family.groupId && orphan.groupId === orphan.pid) {
    signalGroup(orphan.groupId, signal);
  }
  signalProcess(orphan.pid, signal);
}

/** Looks again after these, in ms; the last one is repeated. Most families die at the first TERM. */
const pollStepsMs = [1, 2, 4, 8, 16, 25, 50];

/**
 * Ends a family: TERM (and CONT, which stopped processes need to notice it), `graceMs`, then KILL
 * until nothing is left. Gives up on a process that even KILL does not end (stuck in the kernel).
 * @returns true when nothing was left at the end
 */
export async function endFamily(
  orphanage: Orphanage,
  family: Family,
  graceMs: number,
): Promise<boolean> {
  const asked = new Set(orphanage.adoptedOf(family).map(({ pid }) => pid));
  if (!signalFamily(orphanage, family, "SIGTERM")) return true;
  signalFamily(orphanage, family, "SIGCONT");
  // A daemon is found only when its parent is gone: it is asked then.
  const askNew = (): void => {
    for (const orphan of orphanage.adoptedOf(family)) {
      if (asked.has(orphan.pid)) continue;
      asked.add(orphan.pid);
      signalOrphan(orphan, family, "SIGTERM");
      signalOrphan(orphan, family, "SIGCONT");
    }
  };
  if (await waitForEnd(orphanage, family, graceMs, askNew)) return true;
  const kill = (): void => {
    signalFamily(orphanage, family, "SIGKILL");
    orphanage.killAdoptedOf(family);
  };
  kill();
  return waitForEnd(orphanage, family, killPatienceMs, kill);
}

const killPatienceMs = 2_000;

async function waitForEnd(
  orphanage: Orphanage,
  family: Family,
  patienceMs: number,
  again: () => void,
): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (let round = 0; ; round++) {
    if (!orphanage.isAlive(family)) return true;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    const stepMs = pollStepsMs[Math.min(round, pollStepsMs.length - 1)] ?? 50;
    await Bun.sleep(Math.min(stepMs, leftMs));
    again();
  }
}

/** At the end the adopted are looked for this often, this far apart in ms. */
const lastRoundsMax = 10;
const lastRoundMs = 50;

/** Ends all adopted processes: TERM once, then KILL. Returns those that even KILL did not end. */
export async function endAdopted(
  orphanage: Orphanage,
  warn?: (message: string) => void,
): Promise<void> {
  let left = orphanage.endStrays();
  for (let round = 0; round < lastRoundsMax && left > 0; round++) {
    await Bun.sleep(lastRoundMs);
    left = orphanage.killAll();
  }
  if (left === 0) return;
  const what = left === 1 ? "a process" : `${left} processes`;
  warn?.(
    `Could not end ${what} that commands had started. List the running processes with: ps -ef`,
  );
}

/** A fork bomb is not walked to its end: processes that were not asked are killed after the grace. */
const processesMax = 4_096;

/**
 * Signals the processes of an overseer: all below its children, which are overseers too (the first process of
 * a process id namespace). False when there is nothing yet, or nothing left.
 */
export function signalBelow(overseer: number, signal: SentSignal): boolean {
  const found = childrenOf(overseer).flatMap(childrenOf);
  for (let at = 0; at < found.length && found.length < processesMax; at++) {
    found.push(...childrenOf(found[at]!));
  }
  for (const pid of found) signalProcess(pid, signal);
  return found.length > 0;
}

/** The children of all threads of `pid` (Linux). */
function childrenOf(pid: number): number[] {
  try {
    const folder = `/proc/${pid}/task`;
    return readdirSync(folder).flatMap((thread) =>
      readFileSync(`${folder}/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return []; // Gone meanwhile.
  }
}

/**
 * The number of living processes of the family, including those that they started elsewhere; undefined without `/proc`.
 * The processes that hold a sandbox do not belong to the command: bubblewrap's inner process ends a moment after the
 * outer one, which was waited for.
 */
export function countFamily(orphanage: Orphanage, family: Family): number | undefined {
  const all = listProcesses().flatMap((pid) => readProcStat(pid) ?? []);
  if (all.length === 0) return undefined;
  const living = all.filter(({ state }) => state !== "Z");
  const members = new Set(orphanage.adoptedOf(family).map(({ pid }) => pid));
  for (const { pid, groupId } of living) if (groupId === family.groupId) members.add(pid);
  addDescendants(members, living);
  const isCounted = ({ pid, name }: ProcStat): boolean =>
    members.has(pid) && !(family.isOverseen === true && name === "bwrap");
  return living.filter(isCounted).length;
}

function addDescendants(members: Set<number>, living: readonly ProcStat[]): void {
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parentPid } of living) if (members.has(parentPid)) members.add(pid);
  }
}

/** When the last KILL is due for a server that begins to go now; by `performance.now()`, as all such times. */
export function killTime(): number {
  return performance.now() + shutdownKillMs;
}

/**
 * How long each of the steps before KILL may take that are still to come, in ms.
 * @param steps how many those are
 */
export function graceUntil(killAt: number, steps = 1, now = performance.now()): number {
  const leftMs = (killAt - now) / steps;
  return Math.min(shutdownGraceMs, Math.max(shutdownGraceMsMin, leftMs));
}
