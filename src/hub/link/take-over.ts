import { signalProcess } from "../../commands/process/processes.ts";
import { abandonLock, FileLock, type HubRecord, isHeld, readRecord } from "./hub-lock.ts";
import type { HubPlace } from "./hub-place.ts";
import { factsOf, isSameProcess } from "./process-facts.ts";

/** A killed process is gone after this time, or stuck in the system. */
const killMsMax = 2_000;
const lookMs = 5;
/** A hub that answers nobody and does not compute is stuck. */
const stuckMsMax = 5_000;
/** A hub that had been given up before it was watched here is stuck after this time. */
const knownStuckMsMax = 1_000;
/** One that computes may only be slow, on a machine that has much to do. */
const slowMsMax = 30_000;

/** Watches a hub that holds the lock and does not answer. */
export class SilentHub {
  readonly #record: HubRecord;
  readonly #stuckMsMax: number;
  readonly #since = performance.now();
  #computedAt = performance.now();
  #ticks = 0;

  /** @param isGivenUp its links have missed all looks */
  constructor(record: HubRecord, isGivenUp: boolean) {
    this.#record = record;
    this.#stuckMsMax = isGivenUp ? knownStuckMsMax : stuckMsMax;
  }

  get generation(): number {
    return this.#record.generation;
  }

  /** Whether it may be ended: it was stopped, or does nothing for long. A hub that is only slow goes on. */
  isLost(): boolean {
    const facts = factsOf(this.#record.pid);
    if (facts === undefined || facts.state !== "running") return true;
    const now = performance.now();
    if (facts.ticks !== this.#ticks) {
      this.#ticks = facts.ticks;
      this.#computedAt = now;
    }
    return now - this.#computedAt > this.#stuckMsMax || now - this.#since > slowMsMax;
  }
}

/**
 * Ends the hub that holds the lock of a place, if its process is still the one that took it, and waits until the lock is free. When the
 * holder is not that process, or cannot be ended, its lock is taken out of the place: it finds that out when it wakes up.
 */
export async function endOldHub(place: HubPlace, record: HubRecord): Promise<void> {
  if (isSameProcess(record, factsOf(record.pid))) signalProcess(record.pid, "SIGKILL");
  const deadline = performance.now() + killMsMax;
  while (isHeld(place.lockFile)) {
    // Somebody else was quicker.
    if (readRecord(place)?.generation !== record.generation) return;
    if (performance.now() > deadline) return abandonLock(place, record);
    await Bun.sleep(lookMs);
  }
}

/** Ends a hub that has long held the lock of a place and does not listen: otherwise nobody would have a hub any more. */
export async function endStuckHub(place: HubPlace): Promise<void> {
  using election = FileLock.take(place.electionFile);
  const record = readRecord(place);
  // The process that elects has its own clock.
  if (election === undefined || record === undefined || record.socket !== undefined) return;
  if (isHeld(place.lockFile)) await endOldHub(place, record);
}
