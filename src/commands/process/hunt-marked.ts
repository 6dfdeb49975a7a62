import { closeSync, openSync, readSync } from "node:fs";

import { type LimitMarks, loadLimitMarks } from "./command-limits.ts";
import { listProcesses, readProcStat, signalProcess } from "./processes.ts";

/** Grace for processes that end when they are asked to. */
const graceMs = 400;
/** A process that keeps forking for longer gets away. */
const huntMsMax = 1_500;
/** A list is not a snapshot: a forking process may be missed in one look, and hardly in so many. */
const emptyLooksMin = 40;
/** Before each look at all processes so many at the numbers where the next are born, of some ten microseconds each. */
const birthLooks = 50;
/** A killed process is not looked at again for this long; then another process may have its number. */
const forgetMs = 500;
/** So many numbers before and behind the one that was given out last. */
const birthNumbers = 8;

/**
 * Kills every process of this machine that has a mark of the server whose marks begin with `digits`, and everything
 * that they fork in that time, look after look without a pause, after a moment: for a server that was killed. A shell
 * would always come too late.
 */
export function huntMarked(digits: string): void {
  const marks = loadLimitMarks();
  if (marks === undefined || !/^\d+$/.test(digits)) return;
  const prefix = BigInt(digits);
  Bun.sleepSync(graceMs);
  const startedAt = performance.now();
  const dying = new Set<number>();
  let forgetAt = startedAt + forgetMs;
  const births = openSync("/proc/loadavg", "r");
  let emptyLooks = 0;
  try {
    while (emptyLooks < emptyLooksMin && performance.now() - startedAt < huntMsMax) {
      if (performance.now() > forgetAt) {
        dying.clear();
        forgetAt += forgetMs;
      }
      let found = 0;
      for (let look = 0; look < birthLooks; look++)
        found += killNewest(births, prefix, marks, dying);
      found += listProcesses().filter((pid) => isKilled(pid, prefix, marks, dying)).length;
      emptyLooks = found === 0 ? emptyLooks + 1 : 0;
    }
  } finally {
    closeSync(births);
  }
}

/** A process that is killed in the moment of its birth has no heir. */
function killNewest(births: number, prefix: bigint, marks: LimitMarks, dying: Set<number>): number {
  const newest = lastPid(births);
  let killed = 0;
  for (let pid = newest + birthNumbers; pid > newest - birthNumbers; pid--) {
    if (isKilled(pid, prefix, marks, dying)) killed += 1;
  }
  return killed;
}

/** False for a zombie, which is left for its new parent to collect. */
function isKilled(pid: number, prefix: bigint, marks: LimitMarks, dying: Set<number>): boolean {
  if (dying.has(pid) || !marks.isOfServer(pid, prefix) || !signalProcess(pid, "SIGKILL"))
    return false;
  dying.add(pid);
  return !["Z", "X", undefined].includes(readProcStat(pid)?.state);
}

const buffer = Buffer.alloc(128);

/** The number that the system gave out last: the end of `0.75 1.74 4.28 1/130 12345`. */
function lastPid(loadavg: number): number {
  const text = buffer.toString("latin1", 0, readSync(loadavg, buffer, 0, buffer.length, 0));
  return Number(text.slice(text.lastIndexOf(" ") + 1));
}
