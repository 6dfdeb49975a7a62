import {
  upstreamEventCharsMax,
  upstreamEventsAtOnceMax,
  upstreamEventsWaitingMax,
  upstreamLogsPerSecondMax,
} from "../../base/upstream-limits.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import {
  type ChangedLists,
  type LaneEvent,
  type SnapshotSlice,
  snapshotSlices,
} from "./messages.ts";

/**
 * Sends unsolicited events from the Worker to the main thread: one bundle at a time, the next when that was taken. An
 * event replaces a waiting one of the same subject; events that do not fit are dropped and counted.
 */
export class EventOutbox {
  readonly #send: (events: readonly LaneEvent[]) => void;
  /** By the key under which a later event replaces it. */
  readonly #waiting = new Map<string | symbol, LaneEvent>();
  /** The number of bundles that were not taken yet. */
  #underWay = 0;
  #dropped = 0;

  constructor(send: (events: readonly LaneEvent[]) => void) {
    this.#send = send;
  }

  add(event: LaneEvent): void {
    const key = keyOf(event);
    const isFull = this.#waiting.size >= upstreamEventsWaitingMax && !this.#waiting.has(key);
    if (isFull || isTooLong(event)) this.#dropped += 1;
    else this.#waiting.set(key, event);
    this.#next();
  }

  /** Sends a call's events before its reply. */
  flush(callId: number): void {
    const events = this.#takeOf(callId);
    if (events.length > 0) this.#hand(events);
  }

  /** Drops the waiting events of a call. */
  forget(callId: number): void {
    this.#takeOf(callId);
  }

  onTaken(): void {
    this.#underWay = Math.max(0, this.#underWay - 1);
    this.#next();
  }

  #takeOf(callId: number): LaneEvent[] {
    const events: LaneEvent[] = [];
    for (const [key, event] of this.#waiting) {
      if (event.kind === "event" || event.id !== callId) continue;
      this.#waiting.delete(key);
      events.push(event);
    }
    return events;
  }

  #hand(events: readonly LaneEvent[]): void {
    this.#underWay += 1;
    this.#send(events);
  }

  #next(): void {
    if (this.#underWay > 0 || (this.#waiting.size === 0 && this.#dropped === 0)) return;
    const events: LaneEvent[] = [];
    for (const [key, event] of this.#waiting) {
      if (events.length >= upstreamEventsAtOnceMax) break;
      this.#waiting.delete(key);
      events.push(event);
    }
    if (this.#dropped > 0) events.push(droppedNotice(this.#dropped));
    this.#dropped = 0;
    this.#hand(events);
  }
}

/** The key of an event. Progress and updates are states, of which only the newest is sent. */
function keyOf(event: LaneEvent): string | symbol {
  if (event.kind === "progress") return `progress ${event.id}`;
  if (event.kind !== "event") return Symbol();
  const inner = event.event;
  if (inner.kind === "resource-updated") return `updated ${inner.uri}`;
  if (inner.kind === "snapshot") return `snapshot ${[...inner.changed].sort().join(" ")}`;
  return Symbol();
}

function isTooLong(event: LaneEvent): boolean {
  return event.kind === "log" && JSON.stringify(event.data ?? null).length > upstreamEventCharsMax;
}

function droppedNotice(count: number): LaneEvent {
  const text = `${count} messages of MCP servers were dropped: they arrive faster than they can be passed on.`;
  return { kind: "event", event: { kind: "notice", text } };
}

/**
 * Sends snapshots part by part, each when the one before was taken. While one is being sent, only the newest of later
 * ones waits.
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
    // The list of changes follows right after the snapshot and is sent with it.
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#next();
    });
  }

  /** Adds changes to the snapshot that is being sent. False when there is none. */
  tellChanged(changed: ChangedLists): boolean {
    if (this.#slices === undefined && this.#waiting === undefined) return false;
    for (const list of changed) this.#changed.add(list);
    return true;
  }

  /** The main thread has taken the last part. */
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
    // Changes that belong to a newer snapshot are sent with it.
    if (this.#waiting !== undefined) return [];
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }
}

/** Counts log messages of each server within the current second. */
export class LogRate {
  readonly #counts = new Map<string, number>();
  #second = 0;

  /** False when this server has reached its limit for this second. */
  mayPass(server: string): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(server) ?? 0) + 1;
    this.#counts.set(server, count);
    return count <= upstreamLogsPerSecondMax;
  }
}
