import { readdirSync, readFileSync } from "node:fs";

import { type SentSignal, signalProcess } from "./signals.ts";

/** A fork bomb is not walked to its end: processes that were not asked are killed after the grace. */
const processesMax = 4_096;

/**
 * Signals what an overseer runs: all below its children, which are overseers too (the first process of
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
