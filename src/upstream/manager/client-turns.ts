import { AppError } from "../../base/errors.ts";
import { upstreamLongWaitMs, upstreamLongWaitsMax } from "../../base/upstream-limits.ts";
import type { ConnectionTime } from "./connection-parts.ts";

interface Waiting {
  readonly client: string;
  readonly enter: () => void;
  readonly refuse: (error: Error) => void;
}

/** Each client has a process of its own from here on: make the call again, on that. */
export class ConnectionSplit extends Error {
  override readonly name = "ConnectionSplit";

  constructor() {
    super("Each client has a process of its own from here on.");
  }
}

/**
 * The calls of several clients on one connection. Once the server is known to ask clients, one client at a time is
 * served: a question without an origin then belongs to that client (HB4).
 */
export class ClientTurns {
  readonly #time: ConnectionTime;
  readonly #onTooSlow: () => void;
  /** The calls of each client that are being served. */
  readonly #served = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #isOneByOne = false;
  #isSplit = false;
  #longWaits = 0;

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
   * Begins a call. Resolves when it may be made; undefined when it may be made at once. Every begun call has to `end`.
   * @throws ConnectionSplit; AppError `cancelled`; the call must not `end` then
   */
  begin(client: string, signal: () => AbortSignal): Promise<void> | undefined {
    if (this.#isSplit) return Promise.reject(new ConnectionSplit());
    if (!this.#isOneByOne || (this.#waiting.size === 0 && this.#mayEnter(client))) {
      this.#enter(client);
      return undefined;
    }
    return this.#wait(client, signal());
  }

  end(client: string): void {
    const left = (this.#served.get(client) ?? 0) - 1;
    if (left > 0) this.#served.set(client, left);
    else this.#served.delete(client);
    this.#admit();
  }

  async #wait(client: string, signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = {
      client,
      enter: () => {
        this.#waiting.delete(waiting);
        this.#enter(client);
        turn.resolve();
      },
      refuse: (error) => {
        this.#waiting.delete(waiting);
        turn.reject(error);
      },
    };
    const cancel = (): void => waiting.refuse(cancelledError());
    const timer = this.#time.after(upstreamLongWaitMs, () => this.#onLongWait());
    this.#waiting.add(waiting);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      await turn.promise;
    } finally {
      timer.stop();
      signal.removeEventListener("abort", cancel);
      // The one that left may have been the only obstacle.
      this.#admit();
    }
  }

  /** In their order: a client with many calls does not pass the others. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#mayEnter(waiting.client)) return;
      waiting.enter();
    }
  }

  #mayEnter(client: string): boolean {
    return this.#served.size === 0 || (this.#served.size === 1 && this.#served.has(client));
  }

  #enter(client: string): void {
    this.#served.set(client, (this.#served.get(client) ?? 0) + 1);
  }

  #onLongWait(): void {
    this.#longWaits++;
    if (this.#longWaits === upstreamLongWaitsMax) this.#onTooSlow();
  }
}

function cancelledError(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}
