import { readFileSync } from "node:fs";

import { listProcesses, readProcStat } from "../../commands/process/processes.ts";

/** Resident memory of one process; undefined where the system does not say (Linux says). */
export function residentBytesOf(pid: number): number | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    return undefined; // Gone, or no /proc.
  }
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/**
 * Resident memory of process groups, by the numbers of the groups: of a server and all that it started. Pages that several of its
 * processes share are in it several times. Groups without a process are not in it.
 */
export function residentBytesOfGroups(groupIds: readonly number[]): ReadonlyMap<number, number> {
  const wanted = new Set(groupIds);
  const sums = new Map<number, number>();
  if (wanted.size === 0) return sums;
  for (const pid of listProcesses()) {
    const groupId = readProcStat(pid)?.groupId;
    if (groupId === undefined || !wanted.has(groupId)) continue;
    const bytes = residentBytesOf(pid);
    if (bytes !== undefined) sums.set(groupId, (sums.get(groupId) ?? 0) + bytes);
  }
  return sums;
}
