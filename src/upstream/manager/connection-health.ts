import type { Timer } from "../../base/cancellation.ts";
import {
  upstreamPingEveryMs,
  upstreamPingMissesMax,
  upstreamPingMsMax,
} from "../../base/upstream-limits.ts";
import { ConnectionError, type UpstreamConnection } from "../connect/connection.ts";
import type { ConnectionTime } from "./connection-parts.ts";

export interface ConnectionHealthParts {
  readonly time: ConnectionTime;
  /** 0 = never. */
  readonly idleStopMs: number;
  /** Called after several unanswered pings. */
  readonly onMissing: () => void;
  /** Called after a long time without a call. */
  readonly onIdle: () => void;
}

/**
 * Pings a server periodically (CN13), and notices when it is idle. A server that works on a call may be too busy to
 * answer, so only pings between calls are judged; a call has its own limits.
 */
export class ConnectionHealth {
  readonly #parts: ConnectionHealthParts;
  #pingTimer: Timer | undefined;
  #idleTimer: Timer | undefined;
  #controller: AbortController | undefined;
  #misses = 0;
  #users = 0;

  constructor(parts: ConnectionHealthParts) {
    this.#parts = parts;
  }

  start(connection: UpstreamConnection): void {
    this.stop();
    this.#misses = 0;
    this.#controller = new AbortController();
    this.#planPing(connection, this.#controller.signal);
    this.#planIdle();
  }

  stop(): void {
    this.#controller?.abort();
    this.#controller = undefined;
    this.#pingTimer?.stop();
    this.#idleTimer?.stop();
  }

  /** Marks the begin of a call. Returns a function that marks its end; idempotent. */
  use(): () => void {
    this.#users++;
    this.#idleTimer?.stop();
    let isUsed = true;
    return () => {
      if (isUsed) this.#users--;
      isUsed = false;
      if (this.#users === 0) this.#planIdle();
    };
  }

  #planIdle(): void {
    this.#idleTimer?.stop();
    const { idleStopMs, onIdle, time } = this.#parts;
    if (idleStopMs === 0 || this.#controller === undefined || this.#users > 0) return;
    this.#idleTimer = time.after(idleStopMs, onIdle);
  }

  #planPing(connection: UpstreamConnection, signal: AbortSignal): void {
    const ping = (): void => void this.#ping(connection, signal);
    this.#pingTimer = this.#parts.time.after(upstreamPingEveryMs, ping);
  }

  async #ping(connection: UpstreamConnection, signal: AbortSignal): Promise<void> {
    try {
      await connection.ping(AbortSignal.any([signal, AbortSignal.timeout(upstreamPingMsMax)]));
      this.#misses = 0;
    } catch (error) {
      if (signal.aborted) return;
      // A refusal is also an answer.
      const isAnswer = error instanceof ConnectionError && answers.has(error.failure);
      if (isAnswer || this.#users > 0) this.#misses = 0;
      else this.#misses++;
      if (this.#misses >= upstreamPingMissesMax) return this.#parts.onMissing();
    }
    if (!signal.aborted) this.#planPing(connection, signal);
  }
}

const answers: ReadonlySet<ConnectionError["failure"]> = new Set(["needs_auth", "refused", "busy"]);
