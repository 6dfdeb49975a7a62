import {
  upstreamBackoffWaitMs,
  upstreamHeldLookMs,
  upstreamProbeOnCallMs,
} from "../../base/upstream-limits.ts";
import type { ConnectionState, Installing } from "../server-state.ts";
import { RecentFailures, RetrySchedule, StartLimit } from "./restart-limits.ts";

/** Why a start failed or a connection was lost. */
export interface ConnectionFailure {
  /** `final`: no retry can help. */
  readonly kind: "passing" | "final" | "needs_auth";
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** What to do for a caller that needs the connection. */
export type ConnectionAdvice =
  | { readonly do: "use" }
  /** Start after `inMs`, or let the planned start begin then. */
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
  #state: ConnectionState = { kind: "idle" };
  #triedAt = Number.NEGATIVE_INFINITY;
  /** The processes of the running start: a server that exits at the first probe is started again for the second. */
  #useless: ReturnType<RecentFailures["onStart"]>[] = [];

  /**
   * @param restarts false: after a failure only a call tries it again @param failures of this server on all connections
   */
  constructor(restarts: boolean, random?: () => number, failures = new RecentFailures()) {
    this.#restarts = restarts;
    this.#failures = failures;
    this.#retry = new RetrySchedule(random);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The advice for a call at `now`. */
  advise(now: number): ConnectionAdvice {
    const state = this.#state;
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

  /** Milliseconds by which a start must be delayed; 0 = it may begin now. */
  startWaitMs(now: number): number {
    return Math.max(this.#limit.waitMs(now), this.#failures.waitMs(now));
  }

  onStart(now: number): void {
    this.#useless = [];
    this.onNextProcess(now);
    this.#triedAt = now;
    this.#state = { kind: "starting" };
  }

  /** @param installing undefined: the package is complete now */
  onInstalling(installing: Installing | undefined): void {
    if (this.#state.kind !== "starting") return;
    this.#state = { kind: "starting", ...(installing === undefined ? {} : { installing }) };
  }

  /** The start needed another process. */
  onNextProcess(now: number): void {
    this.#limit.onStart(now);
    this.#useless.push(this.#failures.onStart(now));
  }

  onConnected(now: number): void {
    this.#retry.onConnected(now);
    for (const start of this.#useless) this.#failures.onUse(start);
    this.#state = { kind: "ready" };
  }

  /** A start failed, or the connection was lost. */
  onFailure(now: number, failure: ConnectionFailure): void {
    if (this.#state.kind === "stopped") return;
    const { kind, reason } = failure;
    if (kind !== "passing") {
      const as = kind === "final" ? "failed" : "needs_auth";
      this.#state = { kind: "down", as, reason, retryAt: undefined };
      return;
    }
    if (this.#state.kind === "ready") this.#failures.onStart(now);
    this.#failures.onFailure(now, reason);
    const plan = this.#retry.onFailure(now, failure.retryAfterMs);
    const retryAt = this.#restarts
      ? now + Math.max(plan.delayMs, this.startWaitMs(now))
      : undefined;
    this.#state = { kind: "down", as: plan.state, reason, retryAt };
  }

  /** Another hub runs its server. This is not counted as a failure, and may end at any moment. */
  onHeld(now: number, reason: string): void {
    if (this.#state.kind === "stopped") return;
    const retryAt = now + upstreamHeldLookMs;
    this.#state = { kind: "down", as: "backoff", reason, retryAt, isHeld: true };
  }

  /** The connection was idle for long. */
  onIdle(): void {
    if (this.#state.kind !== "stopped") this.#state = { kind: "idle" };
  }

  onStop(): void {
    this.#state = { kind: "stopped" };
  }

  /** The user wants the connection or has changed something: forgets earlier failures. */
  reset(): void {
    this.#retry.reset();
    if (this.#state.kind === "down") this.#state = { kind: "idle" };
  }

  #adviseDown(state: Extract<ConnectionState, { kind: "down" }>, now: number): ConnectionAdvice {
    // A look costs little, so a call does not wait for the next one.
    if (state.isHeld) return { do: "start", inMs: 0 };
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
