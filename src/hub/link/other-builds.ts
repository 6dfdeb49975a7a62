import { closeSync, constants, openSync } from "node:fs";

import { loadLibc } from "../../commands/process/libc.ts";
import { type HubRecord, readRecord } from "./hub-lock.ts";
import { hubNamesIn, type HubPlace, hubPlaceNamed, isHubOfMachine } from "./hub-place.ts";
import { factsOf, isSameProcess, type ProcessFacts } from "./process-facts.ts";

/** A hub of this user and machine that serves the clients of another build. */
export interface OtherHub {
  readonly place: HubPlace;
  readonly record: HubRecord;
}

/** Those that are there now. After an update the old one may have kept tasks that clients of the new build want to see. */
export function hubsOfOtherBuilds(own: HubPlace): readonly OtherHub[] {
  return hubNamesIn(own.scorpioxDir).flatMap((name) => {
    if (name === own.name || !isHubOfMachine(name)) return [];
    const place = hubPlaceNamed(own.scorpioxDir, name);
    const record = readRecord(place);
    const isThere = record !== undefined && isSameProcess(record, factsOf(record.pid));
    return isThere && isHeldAlone(place.lockFile) ? [{ place, record }] : [];
  });
}

/** Whether a process is the hub of another build. */
export function isOtherHub(own: HubPlace, { pid, start }: ProcessFacts): boolean {
  return hubsOfOtherBuilds(own).some(({ record }) => record.pid === pid && record.start === start);
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
