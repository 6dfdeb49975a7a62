import { watchOwnChildren } from "./proc-table.ts";
import { signalProcess } from "./signals.ts";

export interface Hunt {
  /** Not to be touched, and not to be collected. */
  readonly isSpared: (pid: number) => boolean;
  /** Collects a zombie; false for a process that is not one. */
  readonly reap: (pid: number) => boolean;
}

/** The hunt blocks everything else: a process that is not caught in this time is hunted again later. */
const huntMsMax = 30;
/** A killed process that is not gone by then is stuck; the children that it leaves behind are found the next time. */
const dyingMs = 2;
/** The list is not a snapshot: a listed process may end, and its heir be listed before the place that was read. */
const emptyLooksMin = 2;

/**
 * Kills our own children and the heirs that they leave us, look after look without a pause: a process that forks and ends in
 * a tenth of a millisecond is another one each time that somebody looks at leisure.
 * @returns how many were killed
 */
export function huntChildren({ isSpared, reap }: Hunt): number {
  const startedAt = performance.now();
  const dying = new Set<number>();
  let lastFoundAt = startedAt;
  let killed = 0;
  let emptyLooks = 0;
  watchOwnChildren((children) => {
    let isEmpty = true;
    for (const pid of children) {
      if (isSpared(pid)) continue;
      isEmpty = false;
      if (reap(pid)) {
        dying.delete(pid);
      } else if (!dying.has(pid) && signalProcess(pid, "SIGKILL")) {
        dying.add(pid);
        killed += 1;
        lastFoundAt = performance.now();
      }
    }
    emptyLooks = isEmpty ? emptyLooks + 1 : 0;
    const now = performance.now();
    return emptyLooks < emptyLooksMin && now - lastFoundAt < dyingMs && now - startedAt < huntMsMax;
  });
  return killed;
}
