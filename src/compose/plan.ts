import { messageOf } from "../base/errors.ts";
import type { EventStream, StateScope } from "../base/server-events.ts";
import type { CallRequest, ClientContext } from "../calls/call.ts";
import { planResource, type StateResource } from "../calls/resources/state-resources.ts";
import { watchScope } from "../calls/resources/watch-scope.ts";
import {
  type ActivePlan,
  type ActivePlanOf,
  scopeNow,
  scopeOf,
  type StateServices,
  workspaceDirOf,
} from "../calls/state-calls.ts";
import { findActiveFile, readPlanFile } from "../state/plan/plan-folder.ts";
import {
  type KeptPlan,
  PlanKeeper,
  type PlanPlace,
  type PlanStore,
} from "../state/plan/plan-keeper.ts";
import { engineIsAsked, PlanLook, type PlanSight } from "../state/store/look-file.ts";
import type { StoreClient, Stored } from "../state/store/worker/store-client.ts";
import type { PlanReply, PlanState } from "../tools/state-services.ts";

export interface PlansParts {
  readonly store: StoreClient;
  /** Undefined where the store is not in a file: the engine is asked. */
  readonly storePath: string | undefined;
  readonly scorpioxDir: string;
  readonly events: EventStream;
  /** The rights and restrictions of commands in plan mode on this system; one sentence each. */
  readonly notes: () => Promise<readonly string[]>;
}

/** Plan mode as the rest of the server sees it: for handlers, for commands, as a resource. */
export class Plans implements Disposable {
  readonly service: StateServices["plan"];
  readonly resource: StateResource;
  readonly #look: Pick<PlanLook, "look"> & Disposable;
  readonly #events: EventStream;
  readonly #kept: StoredPlans;

  constructor({ store, storePath, scorpioxDir, events, notes }: PlansParts) {
    this.#look = storePath === undefined ? engineIsAsked : new PlanLook(storePath);
    this.#events = events;
    const kept = (this.#kept = new StoredPlans(store, this.#look));
    const keeper = new PlanKeeper({ store: kept, scorpioxDir, emit: events.emit });
    this.service = createService(keeper, async (plan) => {
      const held = plan === undefined ? [] : await notes();
      return { state: stateOf(plan), notes: [...held, ...kept.takeNotices()] };
    });
    this.resource = planResource({
      async plan(client) {
        const plan = await keeper.get(await placeOf(client));
        return { state: stateOf(plan), text: plan === undefined ? null : await textOf(plan) };
      },
      watch: (client, tell) => this.#watch(client, tell),
    });
  }

  /** The plan state that every command needs; see `PlanLook`. */
  look(scope: StateScope): PlanSight {
    return this.#look.look(scope);
  }

  [Symbol.dispose](): void {
    this.#look[Symbol.dispose]();
  }

  #watch(client: ClientContext, tell: () => void): () => void {
    let seen = "";
    const ask = async (scope: StateScope): Promise<string> => {
      try {
        seen = JSON.stringify(await this.#kept.get(scope)) ?? "";
      } catch {
        // A plan that cannot be read now is taken to be unchanged.
      }
      return seen;
    };
    const look = (scope: StateScope): string | Promise<string> => {
      const sight = this.#look.look(scope);
      return sight.kind === "remote" ? ask(scope) : JSON.stringify(sight);
    };
    return watchScope({ look, events: this.#events, kind: "plan" }, client, tell);
  }
}

function createService(
  keeper: PlanKeeper,
  replyOf: (plan: KeptPlan | undefined) => Promise<PlanReply>,
): StateServices["plan"] {
  const placeFor = ({ client }: CallRequest): Promise<PlanPlace> => placeOf(client);
  return {
    status: async (call) => replyOf(await keeper.get(await placeFor(call))),
    read: async ({ planFile }, call) => keeper.read(await placeFor(call), planFile),
    async change(change, call) {
      const place = await placeFor(call);
      if (change.action === "enter") {
        return replyOf(await keeper.enter(place, change.goal, change.planFile));
      }
      if (change.action === "exit") await keeper.exit(place, change.startedAtMs);
      else await keeper.reset(place);
      return replyOf(undefined);
    },
  };
}

async function placeOf(client: ClientContext): Promise<PlanPlace> {
  const [scope, workspaceDir] = await Promise.all([scopeOf(client), workspaceDirOf(client)]);
  const records = client.ownPlace?.()?.records;
  if (records === undefined) return { scope, workspaceDir };
  // Nothing that the client's commands can change for a link, and no plan of another.
  return { scope, workspaceDir: records, scorpioxDir: records };
}

/** Null when it cannot be read. */
async function textOf({ planFile }: KeptPlan): Promise<string | null> {
  try {
    return await readPlanFile(await findActiveFile(planFile));
  } catch {
    return null;
  }
}

function stateOf(plan: KeptPlan | undefined): PlanState {
  if (plan === undefined) return { active: false, goal: null, planFile: null, startedAtMs: null };
  return { active: true, ...plan };
}

/** Plan mode in the store. Notices about its file are added to the next reply. */
export class StoredPlans implements PlanStore {
  readonly #store: Pick<StoreClient, "call">;
  readonly #look: Pick<PlanLook, "look">;
  readonly #notices = new Set<string>();

  constructor(store: Pick<StoreClient, "call">, look: Pick<PlanLook, "look">) {
    this.#store = store;
    this.#look = look;
  }

  /** Returns the same state that commands get, also where the file may be read and not written. */
  async get(scope: StateScope): Promise<KeptPlan | undefined> {
    try {
      return (
        this.#noted(await this.#store.call({ method: "plans.get", request: { scope } })) ??
        undefined
      );
    } catch (error) {
      const sight = this.#look.look(scope);
      if (sight.kind === "seen") return sight.plan ?? undefined;
      throw error;
    }
  }

  async setIfAbsent(scope: StateScope, plan: KeptPlan): Promise<boolean> {
    return this.#noted(await this.#store.call({ method: "plans.set", request: { scope, plan } }))
      .isSet;
  }

  async clear(scope: StateScope, startedAtMs: number | null): Promise<KeptPlan | undefined> {
    const stored = await this.#store.call({
      method: "plans.clear",
      request: { scope, startedAtMs },
    });
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

/**
 * Finds the plan that holds for a call; at once where nobody has to be asked for the workspace. A store that cannot be read at all
 * is reported once, and its last answer stays in effect: no plan if it never gave one, since commands run without a ledger too.
 */
export function activePlanOf(
  plans: Pick<Plans, "look" | "service">,
  warn: (message: string) => void,
): ActivePlanOf {
  const known = new KnownPlans();
  let isReported = false;
  const readPlan = async (call: CallRequest): Promise<ActivePlan | undefined> => {
    const scope = await scopeOf(call.client);
    const sight = plans.look(scope);
    if (sight.kind === "seen") return known.keep(scope, sight.plan ?? undefined);
    try {
      // The store can wait for another process, and sets a damaged file aside.
      const { state } = await plans.service.status(call);
      const plan =
        state.active && state.planFile !== null ? { planFile: state.planFile } : undefined;
      return known.keep(scope, plan);
    } catch (error) {
      if (!isReported) warn(`Whether plan mode is on cannot be read: ${messageOf(error)}`);
      isReported = true;
      return known.last(scope);
    }
  };
  return (call) => {
    const scope = scopeNow(call.client);
    const sight = scope === undefined ? undefined : plans.look(scope);
    if (scope === undefined || sight?.kind !== "seen") return readPlan(call);
    return known.keep(scope, sight.plan ?? undefined);
  };
}

/** The plans that were active when they were last looked at, by whose they are. */
class KnownPlans {
  readonly #plans = new Map<string, ActivePlan>();

  keep(scope: StateScope, plan: ActivePlan | undefined): ActivePlan | undefined {
    if (plan !== undefined) this.#plans.set(keyOf(scope), plan);
    else if (this.#plans.size > 0) this.#plans.delete(keyOf(scope));
    return plan;
  }

  last(scope: StateScope): ActivePlan | undefined {
    return this.#plans.size === 0 ? undefined : this.#plans.get(keyOf(scope));
  }
}

function keyOf({ workspace, owner }: StateScope): string {
  return JSON.stringify([workspace, owner]);
}
