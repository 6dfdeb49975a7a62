import type { StateScope } from "../base/server-events.ts";
import type { CallRequest, ClientContext } from "../gateway/call.ts";
import type { StateServices } from "../gateway/state-calls.ts";
import { scopeOf } from "../gateway/state-scope.ts";
import { workspaceDirOf } from "../gateway/workspace-dir.ts";
import {
  type KeptPlan,
  PlanKeeper,
  type PlanKeeperParts,
  type PlanPlace,
} from "../plan/plan-keeper.ts";
import type { PlanReply, PlanState } from "../tools/plan-service.ts";

export interface PlanParts extends PlanKeeperParts {
  /** What commands may and may not do in plan mode on this system; one sentence each. */
  readonly notes: () => Promise<readonly string[]>;
}

/** Plan mode as handlers ask for it. */
export function createPlanService(parts: PlanParts): StateServices["plan"] {
  const keeper = new PlanKeeper(parts);
  const replyOf = async (plan: KeptPlan | undefined): Promise<PlanReply> => {
    return { state: stateOf(plan), notes: plan === undefined ? [] : await parts.notes() };
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

/** Looks whether plan mode is active for a client: every command asks. */
export function planLookup(
  readPlan: (scope: StateScope) => { readonly planFile: string } | undefined,
): (client: ClientContext) => Promise<{ readonly planFile: string } | undefined> {
  return async (client) => readPlan(await scopeOf(client));
}

async function placeOf({ client }: CallRequest): Promise<PlanPlace> {
  const [scope, workspaceDir] = await Promise.all([scopeOf(client), workspaceDirOf(client)]);
  return { scope, workspaceDir };
}

function stateOf(plan: KeptPlan | undefined): PlanState {
  if (plan === undefined) return { active: false, goal: null, planFile: null, startedAtMs: null };
  return { active: true, ...plan };
}
