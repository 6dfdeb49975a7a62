import { progressHeartbeatMs, progressPerSecondMax } from "../base/limits.ts";
import { startTimer, type Timer } from "../base/timer.ts";
import type { ProgressUpdate } from "../gateway/call.ts";
import { encodeNotification, type Params } from "../protocol/json-rpc.ts";
import { isAtLeast, type ProtocolVersion } from "../protocol/versions.ts";
import type { Outbox } from "./outbox.ts";

/** One step short of the rate, so that the last message before the reply may come early. */
const progressIntervalMs = Math.ceil(1000 / (progressPerSecondMax - 1));
/** Text that waits for its turn, at most; the middle of more is left out (the result has all of it). */
const waitingCharsMax = 64 * 1024;

type ProgressNumbers = Exclude<ProgressUpdate, string>;

/** Time as the reporter sees it; tests bring their own. */
export interface ProgressClock {
  now(): number;
  startTimer(delayMs: number, fire: () => void): Timer;
}

const systemClock: ProgressClock = { now: () => performance.now(), startTimer };

/**
 * Sends `notifications/progress` for one token: `progress` strictly increases, messages that come too fast are
 * joined instead of dropped, silence is broken by a heartbeat, and nothing follows the end
 * (modern.md section 8; legacy.md section 5 rule 6 for `message`).
 */
export class ProgressReporter {
  readonly #token: string | number;
  readonly #hasMessages: boolean;
  readonly #outbox: Outbox;
  readonly #clock: ProgressClock;
  readonly #startedAt: number;
  /** The last value sent. */
  #progress: number | undefined;
  /** True once the work has given numbers of its own. */
  #isCounted = false;
  #sentAt = Number.NEGATIVE_INFINITY;
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

  /** Numbers of the work itself: sent as they are while they increase, the newest when they come too fast to be read. */
  #reportNumbers(update: ProgressNumbers): void {
    const isMore = this.#progress === undefined || update.progress > this.#progress;
    if (!Number.isFinite(update.progress) || !isMore) return;
    if (this.#outbox.isCongested) return;
    this.#progress = update.progress;
    this.#isCounted = true;
    const { progress, total, message } = update;
    this.#sendParams({ progress, ...(total === undefined ? {} : { total }) }, message);
  }

  #reportText(message: string): void {
    const hadWaiting = this.#waiting !== undefined;
    this.#waiting = hadWaiting ? joinBounded(this.#waiting ?? "", message) : message;
    if (hadWaiting) return;
    const waitMs = this.#sentAt + progressIntervalMs - this.#clock.now();
    if (waitMs <= 0 && !this.#outbox.isCongested) this.#send(this.#takeWaiting());
    else this.#schedule(Math.max(waitMs, progressIntervalMs));
  }

  /** Sends what still waits, then nothing more. For a request that is about to be answered. */
  finish(): void {
    if (this.#isStopped) return;
    const waiting = this.#takeWaiting();
    if (waiting !== undefined && !this.#outbox.isCongested) this.#send(waiting);
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
    const seconds = Math.round((this.#clock.now() - this.#startedAt) / 1000);
    this.#send(this.#takeWaiting() ?? `Still running after ${seconds} s`);
  }

  #send(message: string | undefined): void {
    // A heartbeat between numbers of the work's own must not overtake them.
    this.#progress = (this.#progress ?? 0) + (this.#isCounted ? 0.001 : 1);
    this.#sendParams({ progress: this.#progress }, message);
  }

  #sendParams(numbers: Params, message: string | undefined): void {
    this.#sentAt = this.#clock.now();
    const params = { progressToken: this.#token, ...numbers };
    const withMessage =
      this.#hasMessages && message !== undefined ? { ...params, message } : params;
    this.#outbox.send(encodeNotification("notifications/progress", withMessage));
    this.#schedule(progressHeartbeatMs);
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

function joinBounded(waiting: string, message: string): string {
  const joined = `${waiting}\n${message}`;
  if (joined.length <= waitingCharsMax) return joined;
  const half = waitingCharsMax / 2;
  return `${joined.slice(0, half)}\n[…]\n${joined.slice(-half)}`.toWellFormed();
}
