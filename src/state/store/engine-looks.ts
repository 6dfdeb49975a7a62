import type { StateScope } from "../../base/server-events.ts";
import { storeLooksTogetherMs } from "../../base/limits.ts";
import type { StoreCall, StoreReply } from "./store-methods.ts";

/** The store as those who look need it. */
interface AskedStore {
  call<Call extends StoreCall>(call: Call): Promise<{ readonly value: StoreReply<Call["method"]> }>;
}

interface WaitingLook {
  readonly scope: StateScope;
  readonly resolve: (revision: number | undefined) => void;
}

/** Looks at the tasks of scopes in an engine that only the store Worker reaches: those that come together ask once. */
export class EngineTaskLook {
  readonly #store: AskedStore;
  #waiting: WaitingLook[] = [];

  constructor(store: AskedStore) {
    this.#store = store;
  }

  /** Counts changes; undefined while the engine cannot be asked. Never rejects. */
  revision(scope: StateScope): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    if (this.#waiting.length === 0) setTimeout(() => void this.#ask(), storeLooksTogetherMs);
    this.#waiting.push({ scope, resolve });
    return promise;
  }

  async #ask(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const revisions = await this.#revisionsOf(waiting.map(({ scope }) => scope));
    for (const [place, { resolve }] of waiting.entries()) resolve(revisions[place]);
  }

  async #revisionsOf(scopes: readonly StateScope[]): Promise<readonly number[]> {
    try {
      return (await this.#store.call({ method: "tasks.revisions", request: { scopes } })).value;
    } catch {
      return [];
    }
  }
}
