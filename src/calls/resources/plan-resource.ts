import type { PlanState } from "../../tools/plan-service.ts";
import type { ClientContext } from "../call.ts";
import { planListing } from "./state-listings.ts";
import type { StateResource } from "./state-resource.ts";

/** Plan mode, and the plan as it stands; null when it cannot be read. */
interface ShownPlan {
  readonly state: PlanState;
  readonly text: string | null;
}

export interface PlanSource {
  plan(client: ClientContext): Promise<ShownPlan>;
  /** See `StateResource.watch`. */
  watch(client: ClientContext, tell: () => void): () => void;
}

export function planResource(source: PlanSource): StateResource {
  return {
    listing: planListing,
    async text(client) {
      const { state, text } = await source.plan(client);
      const { active, goal, planFile, startedAtMs } = state;
      const startedAt = startedAtMs === null ? null : new Date(startedAtMs).toISOString();
      const shape = { active, goal, plan_file: planFile, started_at: startedAt, plan: text };
      return JSON.stringify(shape, null, 2);
    },
    watch: (client, tell) => source.watch(client, tell),
  };
}
