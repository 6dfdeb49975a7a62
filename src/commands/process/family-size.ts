import type { Family, Orphanage } from "./orphanage.ts";
import { listProcesses, type ProcStat, readProcStat } from "./proc-table.ts";

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
