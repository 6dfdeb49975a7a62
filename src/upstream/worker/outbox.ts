import { startTimer } from "../../base/cancellation.ts";
import { AppError, type AppErrorCode } from "../../base/errors.ts";
import { progressPerSecondMax } from "../../base/limits.ts";
import {
  upstreamEventCharsMax,
  upstreamEventsAtOnceMax,
  upstreamEventsWaitingMax,
  upstreamLogsPerSecondMax,
  upstreamAsksMax,
  upstreamKeepBytesMax,
  upstreamKeepMsMax,
} from "../../base/upstream-limits.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { SavedResultRecord } from "../upstreams.ts";
import type { LaneEvent, FromUpstreamPost } from "./messages.ts";

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

interface WaitingAsk {
  readonly callId: number;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: AppError) => void;
}

/**
 * Requests of calls to the main thread: questions of servers for the client, and background tasks for results that were
 * cut.
 */
export class WorkerAsks {
  readonly #send: (message: FromUpstreamPost) => void;
  readonly #waiting = new Map<number, WaitingAsk>();
  readonly #keepMsMax: number;
  /** Size of the results that wait in memory until their rest is registered. */
  #keptBytes = 0;
  #lastId = 0;

  constructor(send: (message: FromUpstreamPost) => void, keepMsMax = upstreamKeepMsMax) {
    this.#send = send;
    this.#keepMsMax = keepMsMax;
  }

  /** @throws AppError `limit` when the call has too many open questions; otherwise the error in the answer */
  ask(callId: number, request: InputRequest): Promise<Params> {
    const open = [...this.#waiting.values()].filter((ask) => ask.callId === callId).length;
    if (open >= upstreamAsksMax) {
      const text = `The server has ${upstreamAsksMax} open questions already. It must wait for an answer.`;
      return Promise.reject(new AppError("limit", text));
    }
    return this.#put(callId, (askId) => ({ kind: "ask", id: callId, askId, request }));
  }

  /**
   * The background task through which the client reads the rest; undefined when the call has ended, nobody answers, or too much
   * waits already: the result waits for this in memory, and is in its file already.
   */
  async keep(callId: number, output: SavedResultRecord): Promise<number | undefined> {
    // One alone may be larger.
    if (this.#keptBytes > 0 && this.#keptBytes + output.bytes > upstreamKeepBytesMax)
      return undefined;
    this.#keptBytes += output.bytes;
    const askId = this.#lastId + 1;
    const refuse = (): void => this.refuse(askId, "worker", "It was not registered in time.");
    const timer = startTimer(this.#keepMsMax, refuse);
    try {
      const message = (askId: number) => ({ kind: "keep", id: callId, askId, output }) as const;
      const { taskId } = await this.#put(callId, message);
      return typeof taskId === "number" ? taskId : undefined;
    } catch {
      return undefined;
    } finally {
      timer.stop();
      this.#keptBytes -= output.bytes;
    }
  }

  #put(callId: number, message: (askId: number) => FromUpstreamPost): Promise<Params> {
    const askId = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Params>();
    this.#waiting.set(askId, { callId, resolve, reject });
    this.#send(message(askId));
    return promise;
  }

  answer(askId: number, answer: Params): void {
    this.#take(askId)?.resolve(answer);
  }

  refuse(askId: number, code: AppErrorCode, message: string): void {
    this.#take(askId)?.reject(new AppError(code, message));
  }

  /** Rejects the open questions of a call that has ended. */
  endCall(callId: number): void {
    for (const [askId, ask] of this.#waiting) {
      if (ask.callId !== callId) continue;
      this.#waiting.delete(askId);
      ask.reject(new AppError("cancelled", "The call of this question has ended."));
    }
  }

  #take(askId: number): WaitingAsk | undefined {
    const ask = this.#waiting.get(askId);
    this.#waiting.delete(askId);
    return ask;
  }
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
