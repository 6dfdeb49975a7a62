import { type Abortable, signalOf, startTimer } from "../../base/cancellation.ts";
import { ConnectionError } from "../connect/connection.ts";
import { ConnectionSplit } from "./client-turns.ts";
import type { LentConnection } from "./server-connections.ts";

interface Limits extends Disposable {
  readonly signal: AbortSignal;
  /** Aborted when the time is over. */
  readonly late: AbortSignal;
}

/** The time of one call, with everything that happens before the request to the server. */
export class CallTime {
  readonly #signal: Abortable;
  readonly #timeoutMs: number;
  readonly #startedAt = performance.now();

  constructor(timeoutMs: number, signal: Abortable) {
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  get tookMs(): number {
    return performance.now() - this.#startedAt;
  }

  get leftMs(): number {
    return Math.max(1, this.#timeoutMs - this.tookMs);
  }

  /**
   * The result of `work`, whose signal aborts when the call is cancelled or its time is over.
   * @param doing what the time was spent on, as a sentence about the server
   * @throws ConnectionError `timeout`; as `work` does
   */
  within<Value>(work: (signal: AbortSignal) => Promise<Value>, doing: string): Promise<Value> {
    const limits = this.#limits();
    return this.#inTime(limits, work(limits.signal), doing);
  }

  /**
   * The wait for other clients of the server; undefined when there is none.
   * @throws ConnectionSplit; ConnectionError `timeout`; AppError `cancelled`
   */
  turn(lent: LentConnection): Promise<void> | undefined {
    let limits: Limits | undefined;
    const turn = lent.turn(() => (limits ??= this.#limits()).signal);
    return limits === undefined || turn === undefined
      ? turn
      : this.#inTime(limits, turn, "it was busy with other calls, some of them of other clients");
  }

  #limits(): Limits {
    const late = new AbortController();
    const timer = startTimer(this.leftMs, () => late.abort());
    return {
      signal: AbortSignal.any([signalOf(this.#signal), late.signal]),
      late: late.signal,
      [Symbol.dispose]: () => timer.stop(),
    };
  }

  async #inTime<Value>(limits: Limits, work: Promise<Value>, doing: string): Promise<Value> {
    using _limits = limits;
    try {
      return await work;
    } catch (error) {
      if (this.#signal.aborted || !limits.late.aborted) throw error;
      throw new ConnectionError("timeout", doing);
    }
  }
}

/** Does it again when its connection was taken from it before it was made: there is another one now. */
export async function afterSplit<Value>(act: () => Promise<Value>): Promise<Value> {
  for (let left = splitsMax; ; left--) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ConnectionSplit) || left === 0) throw error;
    }
  }
}

/** A server that clients do not share any more is taken from none of them, so one is usual. */
const splitsMax = 4;
