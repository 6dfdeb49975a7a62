import { type LimitMarks, loadLimitMarks } from "./limit-mark.ts";
import { listProcesses, readProcStat } from "./proc-table.ts";
import { signalProcess } from "./signals.ts";

/** Who forks on for longer gets away; each look takes a fraction of a millisecond. */
const huntMsMax = 1_500;
/** The list is no snapshot: who forks may be missed in one look, and hardly in so many. */
const emptyLooksMin = 60;

/**
 * Kills every process of this machine that has a mark of the server whose marks begin with `digits`, and what it forks
 * meanwhile, look after look without a pause: for a server that was killed. A shell would always come too late.
 * @returns how many were killed
 */
export function huntMarked(digits: string): number {
  const marks = loadLimitMarks();
  if (marks === undefined || !/^\d+$/.test(digits)) return 0;
  const prefix = BigInt(digits);
  const startedAt = performance.now();
  const dying = new Set<number>();
  let killed = 0;
  let emptyLooks = 0;
  while (emptyLooks < emptyLooksMin && performance.now() - startedAt < huntMsMax) {
    const found = killOnce(marks, prefix, dying);
    killed += found;
    emptyLooks = found === 0 ? emptyLooks + 1 : 0;
  }
  return killed;
}

/** The newest first: they are the ones that are gone soon. */
function killOnce(marks: LimitMarks, prefix: bigint, dying: Set<number>): number {
  let killed = 0;
  for (const pid of listProcesses().toReversed()) {
    if (!marks.isOfServer(pid, prefix)) continue;
    if (dying.has(pid) && ["Z", undefined].includes(readProcStat(pid)?.state)) continue;
    if (!signalProcess(pid, "SIGKILL")) continue;
    dying.add(pid);
    killed += 1;
  }
  return killed;
}
