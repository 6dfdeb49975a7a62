import {
  sharedConnectMsMax,
  sharedRetryMsMax,
  sharedRetryMsMin,
  sharedWaitingMax,
} from "../../base/limits.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import type { SharedUrl } from "./shared-url.ts";

export interface EngineConnectionParts {
  readonly url: SharedUrl;
  /** Called with each new connection before anything else is sent; when it rejects, the engine is away. */
  readonly check: (client: Bun.RedisClient) => Promise<void>;
  readonly onReady?: (client: Bun.RedisClient) => void;
  readonly onLost?: () => void;
}

interface Waiter {
  readonly resolve: (client: Bun.RedisClient) => void;
  readonly reject: (error: SharedEngineError) => void;
}

/**
 * One connection that is made again whenever it breaks: at once, then at growing intervals with jitter, so that the replicas
 * of a fleet do not all come back in the same moment.
 */
export class EngineConnection implements Disposable {
  readonly #parts: EngineConnectionParts;
  readonly #waiters = new Set<Waiter>();
  #client: Bun.RedisClient | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  /** On the clock of `performance.now()`. */
  #awaySince = performance.now();
  #lastFault = "it has not answered yet";
  #isClosed = false;

  constructor(parts: EngineConnectionParts) {
    this.#parts = parts;
    void this.#connect();
  }

  /** The connected client; undefined while there is none. */
  get client(): Bun.RedisClient | undefined {
    return this.#client;
  }

  /**
   * The client when it is connected. After a second without a connection nobody waits for one.
   * @throws SharedEngineError "away" or "busy"
   */
  ready(msMax: number): Promise<Bun.RedisClient> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    const leftMs = msMax - (performance.now() - this.#awaySince);
    if (this.#isClosed || leftMs <= 0) return Promise.reject(this.#away());
    if (this.#waiters.size >= sharedWaitingMax) return Promise.reject(this.#busy());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(this.#away());
      }, leftMs);
      const settle = (): void => clearTimeout(timer);
      const waiter: Waiter = {
        resolve: (client) => {
          settle();
          resolve(client);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** Gives up a connection that does not answer, and makes another. */
  drop(fault: string): void {
    const client = this.#client;
    if (client === undefined) return;
    this.#lose(fault);
    client.close();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#rejectWaiters();
    const client = this.#client;
    this.#client = undefined;
    client?.close();
  }

  async #connect(): Promise<void> {
    const client = new Bun.RedisClient(this.#parts.url.url, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: sharedConnectMsMax,
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error("it does not answer")),
      sharedConnectMsMax,
    );
    try {
      await Promise.race([this.#open(client), late.promise]);
    } catch (error) {
      client.close();
      return this.#failed(messageOf(error));
    } finally {
      clearTimeout(timer);
    }
    if (this.#isClosed) return client.close();
    client.onclose = () => {
      if (this.#client === client) this.#lose("the connection broke");
    };
    // It may have broken before anybody listened.
    if (client.connected) this.#connected(client);
    else this.#failed("the connection broke");
  }

  async #open(client: Bun.RedisClient): Promise<void> {
    await client.connect();
    await this.#parts.check(client);
  }

  #connected(client: Bun.RedisClient): void {
    this.#client = client;
    this.#attempts = 0;
    this.#parts.onReady?.(client);
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const { resolve } of waiters) resolve(client);
  }

  #lose(fault: string): void {
    this.#client = undefined;
    this.#awaySince = performance.now();
    this.#lastFault = fault;
    this.#parts.onLost?.();
    this.#retryLater();
  }

  #failed(fault: string): void {
    this.#lastFault = fault;
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    const longest = Math.min(sharedRetryMsMin * 2 ** this.#attempts, sharedRetryMsMax);
    this.#attempts += 1;
    // From half to all of it.
    const delayMs = longest * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => void this.#connect(), delayMs);
    this.#retry.unref();
  }

  #rejectWaiters(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const { reject } of waiters) reject(this.#away());
  }

  #away(): SharedEngineError {
    const { label } = this.#parts.url;
    return new SharedEngineError("away", `${label} cannot be reached: ${this.#lastFault}.`);
  }

  #busy(): SharedEngineError {
    const { label } = this.#parts.url;
    return new SharedEngineError("busy", `Too many requests wait for ${label}; try again.`);
  }
}

/** Why the shared engine did not do what was asked. */
export type EngineFaultReason =
  /** There is no connection: nothing was done. */
  | "away"
  /** It did not answer in time, or the connection broke: it may have been done. */
  | "late"
  /** Its memory is full (`maxmemory`): nothing was done. */
  | "full"
  /** Too much waits for it already: nothing was done. */
  | "busy"
  /** It answered with another error. */
  | "refused";

/** A failure of the shared engine. The message names the engine. */
export class SharedEngineError extends AppError {
  constructor(
    readonly reason: EngineFaultReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(reason === "busy" ? "limit" : "system", message, options);
  }
}
