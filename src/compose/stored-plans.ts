import type { StateScope } from "../base/server-events.ts";
import type { KeptPlan, PlanStore } from "../state/plan/plan-keeper.ts";
import type { PlanLook } from "../state/store/plan-look.ts";
import type { StoreClient } from "../state/store/worker/store-client.ts";
import type { Stored } from "../state/store/worker/stored.ts";

/** Plan mode in the store. What must be known of its file is said with the next reply. */
export class StoredPlans implements PlanStore {
  readonly #store: Pick<StoreClient, "call">;
  readonly #look: Pick<PlanLook, "look">;
  readonly #notices = new Set<string>();

  constructor(store: Pick<StoreClient, "call">, look: Pick<PlanLook, "look">) {
    this.#store = store;
    this.#look = look;
  }

  /** Says the same as commands are told, also where the file may be read and not written. */
  async get(scope: StateScope): Promise<KeptPlan | undefined> {
    try {
      return this.#noted(await this.#store.call("plans.get", { scope })) ?? undefined;
    } catch (error) {
      const sight = this.#look.look(scope);
      if (sight.kind === "seen") return sight.plan ?? undefined;
      throw error;
    }
  }

  async setIfAbsent(scope: StateScope, plan: KeptPlan): Promise<boolean> {
    return this.#noted(await this.#store.call("plans.set", { scope, plan })).isSet;
  }

  async clear(scope: StateScope, startedAtMs: number | null): Promise<KeptPlan | undefined> {
    const stored = await this.#store.call("plans.clear", { scope, startedAtMs });
    return this.#noted(stored) ?? undefined;
  }

  takeNotices(): readonly string[] {
    const notices = [...this.#notices];
    this.#notices.clear();
    return notices;
  }

  #noted<Value>({ value, notices }: Stored<Value>): Value {
    for (const notice of notices) this.#notices.add(notice);
    return value;
  }
}
