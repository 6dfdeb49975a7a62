import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { requestsInFlightMax } from "../../base/limits.ts";
import type { RequestId } from "../../protocol/json-rpc.ts";
import type { ActiveRequest } from "./active-request.ts";

/** The requests of one connection that are not answered yet. The ids `1` and `"1"` are two. */
export class InFlight {
  /** Over HTTP there is rarely another: it needs no map, which would cost more than the rest of this. */
  #first: ActiveRequest | undefined;
  #others: Map<RequestId, ActiveRequest> | undefined;
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
    return (this.#first === undefined ? 0 : 1) + (this.#others?.size ?? 0);
  }

  has(id: RequestId): boolean {
    return this.#get(id) !== undefined;
  }

  begin(request: ActiveRequest): void {
    if (this.#first === undefined) this.#first = request;
    else (this.#others ??= new Map()).set(request.id, request);
    this.#running += 1;
  }

  /** Frees the id at once: a cancelled request gets no reply. */
  cancel(id: RequestId): void {
    const request = this.#get(id);
    this.#delete(id);
    request?.cancel();
  }

  cancelAll(): void {
    for (const { id } of this.#all()) this.cancel(id);
  }

  /** The server is going: open subscriptions get their result (docs/spec/modern.md#teardown). */
  endSubscriptions(): void {
    for (const request of this.#all()) request.endGracefully?.();
  }

  /** The work has ended, whether or not it was cancelled before. */
  end(request: ActiveRequest): void {
    this.#running -= 1;
    if (!request.isCancelled) this.#delete(request.id);
    if (this.#running === 0) this.#settled?.resolve();
  }

  /** Resolves when no work is under way, that of cancelled requests included. */
  settled(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    this.#settled = createDeferred<void>();
    return this.#settled.promise;
  }

  #get(id: RequestId): ActiveRequest | undefined {
    return this.#first?.id === id ? this.#first : this.#others?.get(id);
  }

  #delete(id: RequestId): void {
    if (this.#first?.id === id) this.#first = undefined;
    else this.#others?.delete(id);
  }

  #all(): ActiveRequest[] {
    const others = this.#others?.values() ?? [];
    return this.#first === undefined ? [...others] : [this.#first, ...others];
  }
}
