import { progressPerSecondMax } from "../../base/limits.ts";
import {
  upstreamEventCharsMax,
  upstreamEventsAtOnceMax,
  upstreamEventsWaitingMax,
} from "../../base/upstream-limits.ts";
import type { LaneEvent } from "./messages.ts";

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

const progressEveryMs = 1_000 / progressPerSecondMax;

type Progress = readonly [progress: number, total: number | undefined, message: string | undefined];

/** Passes on the newest progress of one call, at most ten times a second; the last is delayed rather than dropped. */
export class PacedProgress implements Disposable {
  readonly #pass: (...progress: Progress) => void;
  #passedAt = Number.NEGATIVE_INFINITY;
  #newest: Progress | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;

  constructor(pass: (...progress: Progress) => void) {
    this.#pass = pass;
  }

  readonly report = (...progress: Progress): void => {
    if (this.#isEnded) return;
    this.#newest = progress;
    const waitMs = this.#passedAt + progressEveryMs - performance.now();
    if (waitMs <= 0) this.#passNow();
    else this.#timer ??= setTimeout(() => this.#passNow(), waitMs);
  };

  /** Ends with the call's answer. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #passNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const newest = this.#newest;
    if (newest === undefined) return;
    this.#newest = undefined;
    this.#passedAt = performance.now();
    this.#pass(...newest);
  }
}
