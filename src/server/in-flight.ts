import { createDeferred, type Deferred } from "../base/deferred.ts";
import { requestsInFlightMax } from "../base/limits.ts";
import type { RequestId } from "../protocol/json-rpc.ts";
import type { ActiveRequest } from "./active-request.ts";

/** The requests of one connection that are not answered yet. A `Map` keeps the ids `1` and `"1"` apart. */
export class InFlight {
  readonly #requests = new Map<RequestId, ActiveRequest>();
  readonly #requestsMax: number;
  /** Includes cancelled requests whose work has not ended yet. */
  #running = 0;
  #settled: Deferred<void> | undefined;

  constructor(requestsMax: number = requestsInFlightMax) {
    this.#requestsMax = requestsMax;
  }

  get isFull(): boolean {
    return this.#running >= this.#requestsMax;
  }

  /** Requests that wait for their reply. */
  get size(): number {
    return this.#requests.size;
  }

  has(id: RequestId): boolean {
    return this.#requests.has(id);
  }

  begin(request: ActiveRequest): void {
    this.#requests.set(request.id, request);
    this.#running += 1;
  }

  /** Frees the id at once: a cancelled request gets no reply. */
  cancel(id: RequestId): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    request?.cancel();
  }

  cancelAll(): void {
    for (const id of this.#requests.keys()) this.cancel(id);
  }

  /** The server is going: open subscriptions get their result (modern.md section 7, teardown). */
  endSubscriptions(): void {
    for (const request of this.#requests.values()) request.endGracefully?.();
  }

  /** The work has ended, whether or not it was cancelled before. */
  end(request: ActiveRequest): void {
    this.#running -= 1;
    if (!request.isCancelled) this.#requests.delete(request.id);
    if (this.#running === 0) this.#settled?.resolve();
  }

  /** Resolves when no work is under way, that of cancelled requests included. */
  settled(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    this.#settled = createDeferred<void>();
    return this.#settled.promise;
  }
}
