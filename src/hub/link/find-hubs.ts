import { rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { FileLock, type HubRecord, readRecord } from "./hub-lock.ts";
import {
  exclusiveFolderIn,
  exclusiveFoldersIn,
  hubNamesIn,
  type HubPlace,
  hubPlaceNamed,
  hubPlaceOf,
  isHubOfMachine,
  namesIn,
} from "./hub-place.ts";
import { factsOf, isSameProcess } from "./process-facts.ts";

/** The folder of a hub of this user and machine, of whatever build. */
export interface FoundHub {
  readonly place: HubPlace;
  /** The hub is of this program's build, the only one that this program may speak with. */
  readonly isOwn: boolean;
  /** Undefined when there never was a hub, or its record cannot be read. */
  readonly record: HubRecord | undefined;
  /** Its process is alive, by start time and executable. */
  readonly isAlive: boolean;
}

/** All of them, the own one first. Looks only: nothing is made, locked or connected to. */
export function findHubs(scorpioxDir: string): readonly FoundHub[] {
  const own = hubPlaceOf(scorpioxDir);
  const others = hubNamesIn(scorpioxDir)
    .filter((name) => name !== own.name && isHubOfMachine(name))
    .map((name) => found(hubPlaceNamed(scorpioxDir, name), false));
  return [found(own, true), ...others];
}

/** Whether the process of that record is still there. */
export function isHubAlive(record: HubRecord): boolean {
  return isSameProcess(record, factsOf(record.pid));
}

function found(place: HubPlace, isOwn: boolean): FoundHub {
  const record = readRecord(place);
  return { place, isOwn, record, isAlive: record !== undefined && isHubAlive(record) };
}

/** A hub touches its lock more often than that. Another machine with the same home folder may have set its clock wrongly. */
const placeAgeMsMax = 7 * 24 * 60 * 60 * 1000;

/** Removes places of hubs that have long ended: each boot and each update of the program makes another. Never throws. */
export function sweepPlaces({ scorpioxDir, name: own }: HubPlace): void {
  for (const name of hubNamesIn(scorpioxDir)) {
    if (name !== own) attempt(() => sweepPlace(hubPlaceNamed(scorpioxDir, name)));
  }
  for (const folder of exclusiveFoldersIn(scorpioxDir)) {
    if (folder !== exclusiveFolderIn(scorpioxDir)) attempt(() => sweepLocks(folder));
  }
}

function attempt(sweep: () => void): void {
  try {
    sweep();
  } catch {
    // Stays for another time.
  }
}

function sweepPlace(place: HubPlace): void {
  const touched = statSync(place.lockFile, { throwIfNoEntry: false }) ?? statSync(place.folder);
  if (Date.now() - touched.mtimeMs < placeAgeMsMax) return;
  using lock = FileLock.take(place.lockFile);
  if (lock !== undefined) rmSync(place.folder, { recursive: true, force: true });
}

/** Removes locks of servers that ended with their hub; another machine's hub may still hold some. */
function sweepLocks(folder: string): void {
  if (Date.now() - statSync(folder).mtimeMs < placeAgeMsMax) return;
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    using lock = FileLock.take(path);
    if (lock !== undefined) rmSync(path, { force: true });
  }
  // Refused while a lock is in it.
  rmdirSync(folder);
}
