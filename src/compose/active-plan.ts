import { messageOf } from "../base/errors.ts";
import type { CallRequest, ClientContext } from "../calls/call.ts";
import { scopeOf } from "../calls/state-scope.ts";
import type { Plans } from "./plan.ts";

interface ActivePlan {
  readonly planFile: string;
}

/**
 * Tells which plan holds for a call. A store that can be read in no way is said once, and what it said last holds on:
 * none if it never said anything, since commands run without a ledger too.
 */
export function activePlanOf(
  plans: Pick<Plans, "lookFor" | "service">,
  warn: (message: string) => void,
): (call: CallRequest) => Promise<ActivePlan | undefined> {
  const known = new KnownPlans();
  let isReported = false;
  return async (call) => {
    try {
      const plan = await readPlan(plans, call);
      await known.keep(call.client, plan);
      return plan;
    } catch (error) {
      if (!isReported) warn(`Whether plan mode is on cannot be read: ${messageOf(error)}`);
      isReported = true;
      return known.last(call.client);
    }
  };
}

async function readPlan(
  plans: Pick<Plans, "lookFor" | "service">,
  call: CallRequest,
): Promise<ActivePlan | undefined> {
  const sight = await plans.lookFor(call.client);
  if (sight.kind === "seen") return sight.plan ?? undefined;
  // The store can wait for another process, and sets a damaged file aside.
  const { state } = await plans.service.status(call);
  return state.active && state.planFile !== null ? { planFile: state.planFile } : undefined;
}

/** The plans that were active when they were last looked at, by whose they are. */
class KnownPlans {
  readonly #plans = new Map<string, ActivePlan>();

  async keep(client: ClientContext, plan: ActivePlan | undefined): Promise<void> {
    if (plan !== undefined) this.#plans.set(await keyOf(client), plan);
    else if (this.#plans.size > 0) this.#plans.delete(await keyOf(client));
  }

  async last(client: ClientContext): Promise<ActivePlan | undefined> {
    return this.#plans.size === 0 ? undefined : this.#plans.get(await keyOf(client));
  }
}

async function keyOf(client: ClientContext): Promise<string> {
  const { workspace, owner } = await scopeOf(client);
  return JSON.stringify([workspace, owner]);
}
