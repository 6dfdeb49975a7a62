import type { StateScope } from "../base/server-events.ts";
import type { CallRequest } from "../gateway/call.ts";
import type { StateServices } from "../gateway/state-calls.ts";
import { scopeOf } from "../gateway/state-scope.ts";
import { workspaceDirOf } from "../gateway/workspace-dir.ts";
import {
  type KeptPlan,
  PlanKeeper,
  type PlanKeeperParts,
  type PlanPlace,
  type PlanStore,
} from "../plan/plan-keeper.ts";
import type { StoreClient } from "../store/worker/store-client.ts";
import type { Stored } from "../store/worker/store-link.ts";
import type { PlanReply, PlanState } from "../tools/plan-service.ts";

export interface PlanParts extends Omit<PlanKeeperParts, "store"> {
  readonly store: StoreClient;
  /** What commands may and may not do in plan mode on this system; one sentence each. */
  readonly notes: () => Promise<readonly string[]>;
}

/** Plan mode as handlers ask for it. */
export function createPlanService({ store, notes, ...parts }: PlanParts): StateServices["plan"] {
  const kept = new StoredPlans(store);
  const keeper = new PlanKeeper({ ...parts, store: kept });
  const replyOf = async (plan: KeptPlan | undefined): Promise<PlanReply> => {
    const held = plan === undefined ? [] : await notes();
    return { state: stateOf(plan), notes: [...held, ...kept.takeNotices()] };
  };
  return {
    status: async (call) => replyOf(await keeper.get(await placeOf(call))),
    read: async ({ planFile }, call) => keeper.read(await placeOf(call), planFile),
    async change(change, call) {
      const place = await placeOf(call);
      if (change.action === "enter") {
        return replyOf(await keeper.enter(place, change.goal, change.planFile));
      }
      await keeper.end(place, change.action === "exit" ? "exited" : "reset");
      return replyOf(undefined);
    },
  };
}

/** Plan mode in the store. What must be known of its file is said with the next reply. */
class StoredPlans implements PlanStore {
  readonly #store: StoreClient;
  readonly #notices = new Set<string>();

  constructor(store: StoreClient) {
    this.#store = store;
  }

  async get(scope: StateScope): Promise<KeptPlan | undefined> {
    return this.#noted(await this.#store.call("plans.get", { scope })) ?? undefined;
  }

  async setIfAbsent(scope: StateScope, plan: KeptPlan): Promise<boolean> {
    return this.#noted(await this.#store.call("plans.set", { scope, plan })).isSet;
  }

  async clear(scope: StateScope): Promise<KeptPlan | undefined> {
    return this.#noted(await this.#store.call("plans.clear", { scope })) ?? undefined;
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

async function placeOf({ client }: CallRequest): Promise<PlanPlace> {
  const [scope, workspaceDir] = await Promise.all([scopeOf(client), workspaceDirOf(client)]);
  return { scope, workspaceDir };
}

function stateOf(plan: KeptPlan | undefined): PlanState {
  if (plan === undefined) return { active: false, goal: null, planFile: null, startedAtMs: null };
  return { active: true, ...plan };
}
