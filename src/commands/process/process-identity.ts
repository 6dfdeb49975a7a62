import { systemCodeOf } from "../../base/errors.ts";
import { readProcStat } from "./proc-table.ts";

/** The permanent identity of one process, where the system reports when it was started. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number | null;
}

/** Of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTicks: readProcStat(process.pid)?.startTicks ?? null };
}

/** Whether it still runs, whoever owns it; another process may have taken its number. */
export function isRunningStill({ pid, startTicks }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It runs, as somebody else's.
    return systemCodeOf(error) === "EPERM";
  }
  const stat = readProcStat(pid);
  return startTicks === null || stat === undefined || stat.startTicks === startTicks;
}
