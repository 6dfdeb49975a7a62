import type { Timer } from "../../base/cancellation.ts";
import { cancelledError } from "../../base/errors.ts";
import {
  upstreamClientCallsAtOnceMax,
  upstreamLongWaitMs,
  upstreamLongWaitsMax,
  upstreamNeighbourMs,
  upstreamQuickCallMs,
} from "../../base/upstream-limits.ts";
import type { ConnectionTime } from "./connection-parts.ts";

/** Above, those that have not called for long are forgotten at each call. */
const clientsRememberedMax = 32;

interface Waiting {
  readonly client: string;
  readonly enter: (served: ServedCall) => void;
  readonly refuse: (error: Error) => void;
}

/** A call that is being served. */
export interface ServedCall {
  readonly client: string;
  readonly since: number;
}

/** Each client has a process of its own from here on: make the call again, on that. */
export class ConnectionSplit extends Error {
  override readonly name = "ConnectionSplit";

  constructor() {
    super("Each client has a process of its own from here on.");
  }
}

/**
 * The calls of several clients on one connection. A client with many calls sends only some at once while others call
 * too (HB10). Once the server is known to ask clients, one client at a time is served: a question without an origin then
 * belongs to that client (HB4).
 */
export class ClientTurns {
  readonly #time: ConnectionTime;
  readonly #onTooSlow: () => void;
  /** The calls of each client that are being served, oldest first. */
  readonly #served = new Map<string, Set<ServedCall>>();
  readonly #waiting = new Set<Waiting>();
  /** When each client has called last. */
  readonly #calledAt = new Map<string, number>();
  #firstCaller: string | undefined;
  #hasOtherCallers = false;
  #isOneByOne = false;
  #isSplit = false;
  #longWaits = 0;
  #again: Timer | undefined;

  /** @param onTooSlow called once, when clients have waited for each other too long */
  constructor(time: ConnectionTime, onTooSlow: () => void) {
    this.#time = time;
    this.#onTooSlow = onTooSlow;
  }

  /** One client at a time is served. */
  get isOneByOne(): boolean {
    return this.#isOneByOne;
  }

  /** The client that is served, if there is exactly one. */
  get onlyServed(): string | undefined {
    return this.#served.size === 1 ? [...this.#served.keys()][0] : undefined;
  }

  /** The client that has made all calls so far. */
  get onlyCaller(): string | undefined {
    return this.#hasOtherCallers ? undefined : this.#firstCaller;
  }

  /** From here on one client at a time is served; calls that have begun go on. */
  serveOneByOne(): void {
    this.#isOneByOne = true;
  }

  /** Nobody waits here any more. */
  split(): void {
    this.#isSplit = true;
    for (const waiting of this.#waiting) waiting.refuse(new ConnectionSplit());
  }

  /**
   * Begins a call, which has to `end`: at once, or when it is its turn.
   * @throws ConnectionSplit; AppError `cancelled`
   */
  begin(client: string, signal: () => AbortSignal): ServedCall | Promise<ServedCall> {
    if (this.#isSplit) return Promise.reject(new ConnectionSplit());
    this.#firstCaller ??= client;
    this.#hasOtherCallers ||= client !== this.#firstCaller;
    this.#calledAt.set(client, this.#time.now());
    if (this.#calledAt.size > clientsRememberedMax) this.#hasNeighbours(client);
    const isFirst = !this.#isOneByOne || this.#waiting.size === 0;
    return isFirst && this.#mayEnter(client) && !this.#hasWaiting(client)
      ? this.#enter(client)
      : this.#wait(client, signal());
  }

  end(call: ServedCall): void {
    const calls = this.#served.get(call.client);
    calls?.delete(call);
    if (calls?.size === 0) this.#served.delete(call.client);
    this.#admit();
  }

  async #wait(client: string, signal: AbortSignal): Promise<ServedCall> {
    const turn = Promise.withResolvers<ServedCall>();
    const waiting: Waiting = {
      client,
      enter: turn.resolve,
      refuse: (error) => {
        this.#waiting.delete(waiting);
        turn.reject(error);
        // It may have been the only obstacle.
        this.#admit();
      },
    };
    const cancel = (): void => waiting.refuse(cancelledError());
    const timer = this.#time.after(upstreamLongWaitMs, () => this.#onLongWait(client));
    this.#waiting.add(waiting);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    this.#admit();
    try {
      return await turn.promise;
    } finally {
      timer.stop();
      signal.removeEventListener("abort", cancel);
    }
  }

  /** In their order. Where one client at a time is served, none passes another. */
  #admit(): void {
    const blocked = new Set<string>();
    for (const waiting of this.#waiting) {
      if (blocked.has(waiting.client)) continue;
      if (this.#mayEnter(waiting.client)) {
        this.#waiting.delete(waiting);
        waiting.enter(this.#enter(waiting.client));
      } else if (this.#isOneByOne) return;
      else blocked.add(waiting.client);
    }
    if (this.#waiting.size === 0 || this.#again !== undefined) return;
    this.#again = this.#time.after(upstreamQuickCallMs, () => {
      this.#again = undefined;
      this.#admit();
    });
  }

  #mayEnter(client: string): boolean {
    const own = this.#served.get(client);
    if (this.#isOneByOne) return this.#served.size === 0 || this.onlyServed === client;
    if (own === undefined || own.size < upstreamClientCallsAtOnceMax) return true;
    return !this.#hasNeighbours(client) || this.#quickCalls(own) < upstreamClientCallsAtOnceMax;
  }

  /** Calls that may keep the server busy: a slow one usually waits for something else. */
  #quickCalls(calls: ReadonlySet<ServedCall>): number {
    const since = this.#time.now() - upstreamQuickCallMs;
    let count = 0;
    for (const call of calls) if (call.since > since) count++;
    return count;
  }

  #hasNeighbours(client: string): boolean {
    const since = this.#time.now() - upstreamNeighbourMs;
    for (const [other, at] of this.#calledAt) {
      if (at < since) this.#calledAt.delete(other);
      else if (other !== client) return true;
    }
    return false;
  }

  #hasWaiting(client: string): boolean {
    for (const waiting of this.#waiting) if (waiting.client === client) return true;
    return false;
  }

  #enter(client: string): ServedCall {
    const call = { client, since: this.#time.now() };
    const calls = this.#served.get(client);
    if (calls === undefined) this.#served.set(client, new Set([call]));
    else calls.add(call);
    return call;
  }

  /** A client that waits for its own calls waits for nobody else. */
  #onLongWait(client: string): void {
    if (!this.#isOneByOne || this.onlyServed === client) return;
    this.#longWaits++;
    if (this.#longWaits === upstreamLongWaitsMax) this.#onTooSlow();
  }
}
