import { closeSync, constants, openSync } from "node:fs";

import { loadLibc } from "../../commands/process/libc.ts";
import { type HubRecord, readRecord } from "./hub-lock.ts";
import {
  hubNamesIn,
  type HubPlace,
  hubPlaceNamed,
  hubPlaceOf,
  isHubOfMachine,
} from "./hub-place.ts";
import { factsOf, isSameProcess, type ProcessFacts } from "./process-facts.ts";

/** The folder of a hub of this user and machine, of whatever build. */
export interface FoundHub {
  readonly place: HubPlace;
  /** Of this program's build: the only one that this program may speak with. */
  readonly isOwn: boolean;
  /** Undefined when there never was a hub, or its record cannot be read. */
  readonly record: HubRecord | undefined;
  /** Its process is alive, by start time and executable. */
  readonly isAlive: boolean;
}

/** All of them, the own one first. Looks only: nothing is made, locked or connected to. */
export function findHubs(scorpioxDir: string): readonly FoundHub[] {
  const own = hubPlaceOf(scorpioxDir);
  return [found(own, true), ...othersThan(own)];
}

function othersThan(own: HubPlace): readonly FoundHub[] {
  return hubNamesIn(own.scorpioxDir)
    .filter((name) => name !== own.name && isHubOfMachine(name))
    .map((name) => found(hubPlaceNamed(own.scorpioxDir, name), false));
}

/** Whether the process of that record is still there. */
export function isHubAlive(record: HubRecord): boolean {
  return isSameProcess(record, factsOf(record.pid));
}

function found(place: HubPlace, isOwn: boolean): FoundHub {
  const record = readRecord(place);
  return { place, isOwn, record, isAlive: record !== undefined && isHubAlive(record) };
}

/** The hubs of other builds that are there now. After an update the old one may have kept tasks that clients of the new build want to see. */
export function hubsOfOtherBuilds(own: HubPlace): readonly HubRecord[] {
  return othersThan(own).flatMap(({ place, record, isAlive }) =>
    record !== undefined && isAlive && isHeldAlone(place.lockFile) ? [record] : [],
  );
}

/** Whether a process is the hub of another build. */
export function isOtherHub(own: HubPlace, { pid, start }: ProcessFacts): boolean {
  return hubsOfOtherBuilds(own).some((record) => record.pid === pid && record.start === start);
}

/** Unlike `isHeld` it keeps nobody from taking the lock alone for longer than a moment. */
function isHeldAlone(path: string): boolean {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return loadLibc()?.lockFile(fd, false) === false;
  } finally {
    closeSync(fd);
  }
}
