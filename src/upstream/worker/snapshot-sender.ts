import type { UpstreamSnapshot } from "../snapshot.ts";
import type { ChangedLists, SnapshotSlice } from "./snapshot-slices.ts";
import { snapshotSlices } from "./snapshot-slices.ts";

/**
 * Hands snapshots over part by part, the next part when the one before was taken. While one is on its way only the
 * newest of those that came meanwhile waits.
 */
export class SnapshotSender {
  readonly #send: (slice: SnapshotSlice) => void;
  #slices: Generator<SnapshotSlice, void> | undefined;
  #waiting: UpstreamSnapshot | undefined;
  #changed = new Set<ChangedLists[number]>();
  #isScheduled = false;

  constructor(send: (slice: SnapshotSlice) => void) {
    this.#send = send;
  }

  publish(snapshot: UpstreamSnapshot): void {
    this.#waiting = snapshot;
    if (this.#slices !== undefined || this.#isScheduled) return;
    this.#isScheduled = true;
    // What has changed is told right after the snapshot: it goes out with it.
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#next();
    });
  }

  /** Goes out with the snapshot that is on its way. False when there is none. */
  tellChanged(changed: ChangedLists): boolean {
    if (this.#slices === undefined && this.#waiting === undefined) return false;
    for (const list of changed) this.#changed.add(list);
    return true;
  }

  /** The last part has arrived. */
  onTaken(): void {
    this.#next();
  }

  #next(): void {
    const part = this.#slices?.next();
    if (part !== undefined && part.done !== true) return this.#send(part.value);
    this.#slices = undefined;
    const snapshot = this.#waiting;
    if (snapshot === undefined) return;
    this.#waiting = undefined;
    this.#slices = snapshotSlices(snapshot, () => this.#takeChanged());
    this.#next();
  }

  #takeChanged(): ChangedLists {
    // What belongs to a newer snapshot is told with that.
    if (this.#waiting !== undefined) return [];
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }
}
