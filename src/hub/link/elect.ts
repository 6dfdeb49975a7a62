import { HubFault } from "./hub-fault.ts";
import { FileLock, isHeld, readRecord } from "./hub-lock.ts";
import type { HubPlace } from "./hub-place.ts";
import { type HubStart, startHub } from "./start-hub.ts";
import { endOldHub, type SilentHub } from "./take-over.ts";

/** A hub that does not listen this long after its start never will. */
export const startMsMax = 10_000;
const lookMs = 2;

/**
 * Has a place get a hub: this process starts it, unless another does, or a hub is there already. Returns when something has
 * changed, or soon; the caller tries to reach the hub again. True: the hub that it has started listens.
 * @param silent the hub that did not answer; it is ended when it is lost
 * @throws HubFault when the hub cannot be started
 */
export async function electHub(
  place: HubPlace,
  start: HubStart,
  silent: SilentHub | undefined,
  isWanted: () => boolean,
): Promise<boolean> {
  using election = FileLock.take(place.electionFile);
  if (election === undefined) return false;
  if (isHeld(place.lockFile)) {
    const record = readRecord(place);
    if (record === undefined || record.generation !== silent?.generation) return false;
    if (!silent.isLost()) return false;
    await endOldHub(place, record);
  }
  return untilListening(place, start, isWanted);
}

async function untilListening(
  place: HubPlace,
  start: HubStart,
  isWanted: () => boolean,
): Promise<boolean> {
  const hub = startHub(place, start);
  const { msMax = startMsMax } = start;
  const deadline = performance.now() + msMax;
  while (isWanted()) {
    const record = readRecord(place);
    if (record?.pid === hub.pid && record.socket !== undefined) return true;
    const end = hub.ended();
    if (end !== undefined) {
      // A hub whose starter was killed may have been quicker.
      if (isHeld(place.lockFile)) return false;
      throw new HubFault(`the hub ended when it was started, with ${end}`);
    }
    if (performance.now() > deadline) {
      hub.giveUp();
      throw new HubFault(`the hub did not listen within ${msMax / 1000} s of its start`);
    }
    await Bun.sleep(lookMs);
  }
  return false;
}
