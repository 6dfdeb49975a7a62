import { rmSync, statSync } from "node:fs";

import { FileLock } from "./hub-lock.ts";
import { hubNamesIn, type HubPlace, hubPlaceNamed } from "./hub-place.ts";

/** A hub touches its lock more often than that. Another machine with the same home folder may have set its clock wrongly. */
const placeAgeMsMax = 7 * 24 * 60 * 60 * 1000;

/** Removes places of hubs that have long ended: each boot and each update of the program makes another. Never throws. */
export function sweepPlaces(own: HubPlace): void {
  for (const name of hubNamesIn(own.scorpioxDir)) {
    if (name === own.name) continue;
    try {
      sweepPlace(hubPlaceNamed(own.scorpioxDir, name));
    } catch {
      // Stays for another time.
    }
  }
}

function sweepPlace(place: HubPlace): void {
  const touched = statSync(place.lockFile, { throwIfNoEntry: false }) ?? statSync(place.folder);
  if (Date.now() - touched.mtimeMs < placeAgeMsMax) return;
  using lock = FileLock.take(place.lockFile);
  if (lock !== undefined) rmSync(place.folder, { recursive: true, force: true });
}
