import { type HubRecord, readRecord } from "../link/hub-lock.ts";
import {
  hubNamesIn,
  type HubPlace,
  hubPlaceNamed,
  hubPlaceOf,
  isHubOfMachine,
} from "../link/hub-place.ts";
import { factsOf, isSameProcess } from "../link/process-facts.ts";

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
