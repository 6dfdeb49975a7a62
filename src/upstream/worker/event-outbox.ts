import {
  upstreamEventCharsMax,
  upstreamEventsAtOnceMax,
  upstreamEventsWaitingMax,
} from "../../base/upstream-limits.ts";
import type { LaneEvent } from "./messages.ts";

/**
 * What the Worker tells without being asked, on its way to the main thread: one bundle at a time, the next when that was
 * taken. What says the same as something that waits replaces it; what does not fit is dropped and counted.
 */
export class EventOutbox {
  readonly #send: (events: readonly LaneEvent[]) => void;
  /** By what a later one replaces. */
  readonly #waiting = new Map<string | symbol, LaneEvent>();
  /** Bundles that were not taken yet. */
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

  /** A call is about to be answered: what it has told goes first. */
  flush(callId: number): void {
    const events = this.#takeOf(callId);
    if (events.length > 0) this.#hand(events);
  }

  /** Nothing is told of this call any more. */
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

/** Progress and updates are states: only the newest counts. */
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
  const text = `${count} messages of other servers were dropped: they come faster than they can be passed on.`;
  return { kind: "event", event: { kind: "notice", text } };
}
