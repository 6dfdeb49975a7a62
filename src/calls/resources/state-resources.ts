import { describeCallbacks } from "../../base/shown-state.ts";
import type { ResourceListing } from "../../protocol/resource-types.ts";
import type { Callback, PlanState, TasksReply } from "../../tools/state-services.ts";
import type { ClientContext } from "../call.ts";
import { callbacksListing, planListing, tasksListing } from "./state-listings.ts";

/** State that the server keeps for a client, as a resource that always exists and always has the same URI. */
export interface StateResource {
  readonly listing: ResourceListing;
  text(client: ClientContext): Promise<string>;
  /** Calls `tell` after a change, also by another process, until the return value is called. */
  watch?(client: ClientContext, tell: () => void): () => void;
}

export function callbacksResource(
  callbacksOf: (clientId: string) => readonly Callback[],
): StateResource {
  return {
    listing: callbacksListing,
    text: ({ id }) => Promise.resolve(describeCallbacks(callbacksOf(id))),
  };
}

/** Plan mode, and the current text of the plan; null when it cannot be read. */
interface ShownPlan {
  readonly state: PlanState;
  readonly text: string | null;
}

interface PlanSource {
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

interface TasksSource {
  tasks(client: ClientContext): Promise<TasksReply>;
  /** See `StateResource.watch`. */
  watch(client: ClientContext, tell: () => void): () => void;
}

/** The tasks of the client's workspace as JSON, as TaskManager gives them. */
export function tasksResource(source: TasksSource): StateResource {
  return {
    listing: tasksListing,
    async text(client) {
      const { tasks, matching, currentTaskId, total, pending, notices } =
        await source.tasks(client);
      const leftOut = matching - tasks.length;
      return JSON.stringify({ tasks, leftOut, currentTaskId, total, pending, notices }, null, 2);
    },
    watch: (client, tell) => source.watch(client, tell),
  };
}
