import {
  upstreamFailedProbeMs,
  upstreamRetryMs,
  upstreamRetryJitter,
  upstreamServerStableMs,
} from "../../base/upstream-limits.ts";
import { upstreamStartsMax, upstreamStartsWindowMs } from "../../base/upstream-limits.ts";
import { upstreamBackoffWaitMs, upstreamProbeOnCallMs } from "../../base/upstream-limits.ts";
import type { Installing } from "../server-state.ts";
import { RecentFailures } from "./recent-failures.ts";

/** How one connection stands. Times are on the clock that the machine is told. */
export type ConnectionState =
  /** Never wanted so far, or stopped since nobody used it. */
  | { readonly kind: "idle" }
  | {
      readonly kind: "starting";
      /** What it is started from is being fetched. */
      readonly installing?: Installing;
    }
  | { readonly kind: "ready" }
  /** It failed. `retryAt` undefined: only a call tries it again. */
  | {
      readonly kind: "down";
      readonly as: "backoff" | "failed" | "needs_auth";
      readonly reason: string;
      readonly retryAt: number | undefined;
    }
  /** On the user's wish, or for good. */
  | { readonly kind: "stopped" };

/** Why a start failed or a connection was lost. */
export interface ConnectionFailure {
  /** `final`: what no retry mends. */
  readonly kind: "passing" | "final" | "needs_auth";
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** What somebody who needs the connection is to do. */
export type ConnectionAdvice =
  | { readonly do: "use" }
  /** Begin a start after `inMs`, or let the one begin that is planned for then. */
  | { readonly do: "start"; readonly inMs: number }
  | { readonly do: "wait" }
  /** Undefined: no attempt is planned. */
  | { readonly do: "refuse"; readonly reason: string; readonly retryInMs: number | undefined };

/** The states of one connection to a server and when it is tried again (docs/gateway.md#states). No timers, no I/O. */
export class ConnectionMachine {
  readonly #retry: RetrySchedule;
  readonly #limit = new StartLimit();
  readonly #failures: RecentFailures;
  readonly #restarts: boolean;
  /** Set here alone. */
  state: ConnectionState = { kind: "idle" };
  #triedAt = Number.NEGATIVE_INFINITY;
  /** Of the start that is under way, one for each process: a server that ends at the first question is started for the second. */
  #useless: ReturnType<RecentFailures["onStart"]>[] = [];

  /**
   * @param restarts false: after a failure only a call tries it again
   * @param failures of this server, on other connections too
   */
  constructor(restarts: boolean, random?: () => number, failures = new RecentFailures()) {
    this.#restarts = restarts;
    this.#failures = failures;
    this.#retry = new RetrySchedule(random);
  }

  /** What a call is to do at `now`. */
  advise(now: number): ConnectionAdvice {
    const state = this.state;
    switch (state.kind) {
      case "ready":
        return { do: "use" };
      case "starting":
        return { do: "wait" };
      case "idle":
        return { do: "start", inMs: this.startWaitMs(now) };
      case "stopped":
        return { do: "refuse", reason: "it was stopped", retryInMs: undefined };
      case "down":
        return this.#adviseDown(state, now);
    }
  }

  /** Milliseconds until a start may begin that is due now; 0 = at once. */
  startWaitMs(now: number): number {
    return Math.max(this.#limit.waitMs(now), this.#failures.waitMs(now));
  }

  onStart(now: number): void {
    this.#useless = [];
    this.onNextProcess(now);
    this.#triedAt = now;
    this.state = { kind: "starting" };
  }

  /** @param installing undefined: all is there now */
  onInstalling(installing: Installing | undefined): void {
    if (this.state.kind !== "starting") return;
    this.state = { kind: "starting", ...(installing === undefined ? {} : { installing }) };
  }

  /** The start takes one process more. */
  onNextProcess(now: number): void {
    this.#limit.onStart(now);
    this.#useless.push(this.#failures.onStart(now));
  }

  onConnected(now: number): void {
    this.#retry.onConnected(now);
    for (const start of this.#useless) this.#failures.onUse(start);
    this.state = { kind: "ready" };
  }

  /** A start failed, or the connection was lost. */
  onFailure(now: number, failure: ConnectionFailure): void {
    if (this.state.kind === "stopped") return;
    const { kind, reason } = failure;
    if (kind !== "passing") {
      const as = kind === "final" ? "failed" : "needs_auth";
      this.state = { kind: "down", as, reason, retryAt: undefined };
      return;
    }
    if (this.state.kind === "ready") this.#failures.onStart(now);
    this.#failures.onFailure(now, reason);
    const plan = this.#retry.onFailure(now, failure.retryAfterMs);
    const retryAt = this.#restarts
      ? now + Math.max(plan.delayMs, this.startWaitMs(now))
      : undefined;
    this.state = { kind: "down", as: plan.state, reason, retryAt };
  }

  /** Nobody used it for long. */
  onIdle(): void {
    if (this.state.kind !== "stopped") this.state = { kind: "idle" };
  }

  onStop(): void {
    this.state = { kind: "stopped" };
  }

  /** The user wants it, or has changed something: what was before does not count. */
  reset(): void {
    this.#retry.reset();
    if (this.state.kind === "down" || this.state.kind === "stopped") {
      this.state = { kind: "idle" };
    }
  }

  #adviseDown(state: Extract<ConnectionState, { kind: "down" }>, now: number): ConnectionAdvice {
    const retryInMs = state.retryAt === undefined ? undefined : Math.max(0, state.retryAt - now);
    if (retryInMs !== undefined && retryInMs <= upstreamBackoffWaitMs) {
      return { do: "start", inMs: retryInMs };
    }
    const mayProbe = state.as !== "backoff" || retryInMs === undefined;
    const waitMs = Math.max(this.#triedAt + upstreamProbeOnCallMs - now, this.startWaitMs(now));
    if (mayProbe && waitMs <= 0) return { do: "start", inMs: 0 };
    const soonestMs = mayProbe ? Math.min(waitMs, retryInMs ?? waitMs) : retryInMs;
    return { do: "refuse", reason: state.reason, retryInMs: soonestMs };
  }
}

/** Never more than five starts of a server in ten seconds, whoever asks for them. */
export class StartLimit {
  #startedAt: readonly number[] = [];

  /** Milliseconds until one more may begin; 0 = now. */
  waitMs(now: number): number {
    const fifth = this.#startedAt.at(-upstreamStartsMax);
    return fifth === undefined ? 0 : Math.max(0, fifth + upstreamStartsWindowMs - now);
  }

  onStart(now: number): void {
    this.#startedAt = [...this.#startedAt, now].slice(-upstreamStartsMax);
  }
}

/** What follows a failure: wait, or count the server as failed and only look at it now and then. */
interface RetryPlan {
  readonly state: "backoff" | "failed";
  /** Until the next attempt that nobody asked for. */
  readonly delayMs: number;
}

/**
 * When a server that failed is tried again: after 1, 2, 4, 8 and 16 s, the last of them as a failed server, then once a
 * minute. What has run for five minutes begins anew.
 */
export class RetrySchedule {
  readonly #random: () => number;
  #failures = 0;
  #connectedAt: number | undefined;

  /** @param random from 0 to 1, so that the servers of many processes do not come back in step */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** @param now in ms, on any clock that never goes back */
  onConnected(now: number): void {
    this.#connectedAt = now;
  }

  /**
   * It could not be started, or was lost.
   * @param leastMs what the server itself asked for
   */
  onFailure(now: number, leastMs = 0): RetryPlan {
    const ranMs = this.#connectedAt === undefined ? 0 : now - this.#connectedAt;
    if (ranMs >= upstreamServerStableMs) this.#failures = 0;
    this.#connectedAt = undefined;
    this.#failures++;
    const delayMs = upstreamRetryMs[this.#failures - 1] ?? upstreamFailedProbeMs;
    const jitter = 1 + upstreamRetryJitter * (2 * this.#random() - 1);
    return {
      state: this.#failures >= upstreamRetryMs.length ? "failed" : "backoff",
      delayMs: Math.max(Math.round(delayMs * jitter), leastMs),
    };
  }

  /** The user changed something: what was before says nothing. */
  reset(): void {
    this.#failures = 0;
    this.#connectedAt = undefined;
  }
}
