import { rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { FileLock } from "./hub-lock.ts";
import {
  exclusiveFolderIn,
  exclusiveFoldersIn,
  hubNamesIn,
  type HubPlace,
  hubPlaceNamed,
  namesIn,
} from "./hub-place.ts";

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
