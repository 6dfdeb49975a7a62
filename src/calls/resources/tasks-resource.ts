import type { TasksReply } from "../../tools/task-service.ts";
import type { ClientContext } from "../call.ts";
import { tasksListing } from "./state-listings.ts";
import type { StateResource } from "./state-resource.ts";

export interface TasksSource {
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
