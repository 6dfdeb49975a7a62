import { startTimer, type Timer } from "../../base/cancellation.ts";
import { progressHeartbeatMs, progressPerSecondMax } from "../../base/limits.ts";
import type { ProgressUpdate } from "../../calls/call.ts";
import { encodeNotification } from "../../protocol/json-rpc.ts";
import { isAtLeast, type ProtocolVersion } from "../../protocol/message.ts";
import type { Outbox } from "./replies.ts";

/** One step short of the rate, so that the last message before the reply may come early. */
const progressIntervalMs = Math.ceil(1000 / (progressPerSecondMax - 1));
/** Text that waits for its turn, at most; the middle of more is left out (the result has all of it). */
const waitingCharsMax = 64 * 1024;

type ProgressNumbers = Omit<Exclude<ProgressUpdate, string>, "message">;

/** Time as the reporter sees it; tests bring their own. */
export interface ProgressClock {
  now(): number;
  startTimer(delayMs: number, fire: () => void): Timer;
}

const systemClock: ProgressClock = { now: () => performance.now(), startTimer };

/**
 * Sends `notifications/progress` for one token: `progress` strictly increases, messages that come too fast are
 * joined instead of dropped, silence is broken by a heartbeat, and nothing follows the end
 * (docs/spec/modern.md#notifications; SH6 for `message`).
 */
export class ProgressReporter {
  readonly #token: string | number;
  readonly #hasMessages: boolean;
  readonly #outbox: Outbox;
  readonly #clock: ProgressClock;
  readonly #startedAt: number;
  /** The last value sent. */
  #progress: number | undefined;
  /** The base for the work's own numbers; undefined until it has given one. */
  #zero: number | undefined;
  /** The newest numbers of the work that have not been sent. */
  #numbers: ProgressNumbers | undefined;
  /** When the last ones were sent, oldest first; as many as a second may have. */
  readonly #sentTimes: number[] = [];
  #waiting: string | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(
    token: string | number,
    version: ProtocolVersion,
    outbox: Outbox,
    clock: ProgressClock = systemClock,
  ) {
    this.#token = token;
    this.#hasMessages = isAtLeast(version, "2025-03-26");
    this.#outbox = outbox;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#schedule(progressHeartbeatMs);
  }

  report(update: ProgressUpdate): void {
    if (this.#isStopped) return;
    if (typeof update !== "string") return this.#reportNumbers(update);
    this.#reportText(update);
  }

  /** Numbers of the work itself: sent as they come while they increase; of those that come too fast the newest. */
  #reportNumbers(update: Exclude<ProgressUpdate, string>): void {
    // The last number before the work's own ones is their zero: fractions after a heartbeat still increase.
    this.#zero ??= this.#progress ?? 0;
    const progress = this.#zero + update.progress;
    const last = this.#numbers?.progress ?? this.#progress;
    // Beyond that there is no room between numbers for those of heartbeats.
    if (!isCountable(progress) || (last !== undefined && progress <= last)) return;
    const total = this.#zero + (update.total ?? Number.NaN);
    this.#numbers = { progress, ...(isCountable(total) ? { total } : {}) };
    if (update.message !== undefined) this.#addWaiting(update.message);
    const waitMs = this.#waitMs();
    if (waitMs <= 0 && !this.#outbox.isCongested) this.#send(this.#takeWaiting());
    else this.#schedule(Math.max(waitMs, progressIntervalMs));
  }

  /** How long until one more is within the rate. */
  #waitMs(): number {
    const oldest = this.#sentTimes.length < progressPerSecondMax ? undefined : this.#sentTimes[0];
    return oldest === undefined ? 0 : oldest + 1000 - this.#clock.now();
  }

  #reportText(message: string): void {
    const hadWaiting = this.#waiting !== undefined;
    this.#addWaiting(message);
    if (hadWaiting) return;
    const lastAt = this.#sentTimes.at(-1) ?? Number.NEGATIVE_INFINITY;
    const waitMs = lastAt + progressIntervalMs - this.#clock.now();
    if (waitMs <= 0 && !this.#outbox.isCongested) this.#send(this.#takeWaiting());
    else this.#schedule(Math.max(waitMs, progressIntervalMs));
  }

  /** Sends what still waits, then nothing more. For a request that is about to be answered. */
  finish(): void {
    if (this.#isStopped) return;
    const isWaiting = this.#waiting !== undefined || this.#numbers !== undefined;
    if (isWaiting && !this.#outbox.isCongested) this.#send(this.#takeWaiting());
    this.stop();
  }

  /** Nothing more is sent. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.stop();
  }

  #onTimer(): void {
    if (this.#isStopped) return;
    if (this.#outbox.isCongested) {
      this.#schedule(progressIntervalMs);
      return;
    }
    const isSilent = this.#waiting === undefined && this.#numbers === undefined;
    if (isSilent) this.#sendHeartbeat();
    else this.#send(this.#takeWaiting());
  }

  /** Work that has counted to its end may go on for long: its heartbeats, which have no total, go past it. */
  #sendHeartbeat(): void {
    const seconds = Math.round((this.#clock.now() - this.#startedAt) / 1000);
    this.#send(`Still running after ${seconds} s`);
  }

  #send(message: string | undefined): void {
    const numbers = this.#takeNumbers();
    this.#progress = numbers.progress;
    if (this.#sentTimes.push(this.#clock.now()) > progressPerSecondMax) this.#sentTimes.shift();
    const params = { progressToken: this.#token, ...numbers };
    const withMessage =
      this.#hasMessages && message !== undefined ? { ...params, message } : params;
    this.#outbox.send(encodeNotification("notifications/progress", withMessage));
    this.#schedule(progressHeartbeatMs);
  }

  /** The numbers that the work reported last, if they were not sent yet; else one step more, for a heartbeat. */
  #takeNumbers(): ProgressNumbers {
    const numbers = this.#numbers;
    this.#numbers = undefined;
    if (numbers !== undefined) return numbers;
    return { progress: this.#nextProgress() };
  }

  /** More than the last, but so little that the work's own numbers are not overtaken. */
  #nextProgress(): number {
    const last = this.#progress ?? 0;
    // The least that makes a large number another one.
    const least = Math.abs(last) * Number.EPSILON;
    return last + Math.max(this.#zero === undefined ? 1 : 0.001, least);
  }

  #addWaiting(message: string): void {
    this.#waiting = this.#waiting === undefined ? message : joinBounded(this.#waiting, message);
  }

  #takeWaiting(): string | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #schedule(delayMs: number): void {
    this.#timer?.stop();
    this.#timer = this.#clock.startTimer(delayMs, () => this.#onTimer());
  }
}

function isCountable(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function joinBounded(waiting: string, message: string): string {
  const joined = `${waiting}\n${message}`;
  if (joined.length <= waitingCharsMax) return joined;
  const half = waitingCharsMax / 2;
  return `${joined.slice(0, half)}\n[…]\n${joined.slice(-half)}`.toWellFormed();
}
