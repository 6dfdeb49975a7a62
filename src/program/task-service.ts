import type { ServerEvent, StateScope } from "../base/server-events.ts";
import type { StateServices } from "../gateway/state-calls.ts";
import { scopeOf } from "../gateway/state-scope.ts";
import type { StoreClient } from "../store/worker/store-client.ts";
import type { TaskReply, TaskRequest } from "../tools/task-service.ts";

export interface TaskServiceParts {
  readonly store: Pick<StoreClient, "call">;
  readonly emit: (event: ServerEvent) => void;
}

/** Tasks as handlers ask for them; what changes is told when it is on the disk. */
export function createTaskService({ store, emit }: TaskServiceParts): StateServices["tasks"] {
  return {
    async perform(request, { client }) {
      const scope = await scopeOf(client);
      const { value, notices } = await store.call("tasks.perform", { scope, request });
      const event = eventOf(scope, request, value);
      if (event !== undefined) emit(event);
      return { ...value, notices };
    },
  };
}

function eventOf(
  scope: StateScope,
  request: TaskRequest,
  { tasks, stepId, isChanged }: TaskReply,
): ServerEvent | undefined {
  const change = changeOf(request);
  const [task] = tasks;
  if (!isChanged || change === undefined || task === undefined) return undefined;
  return { kind: "task", scope, change, taskId: task.taskId, stepId };
}

type TaskChange = Extract<ServerEvent, { kind: "task" }>["change"];

function changeOf(request: TaskRequest): TaskChange | undefined {
  switch (request.action) {
    case "create":
      return "created";
    case "add":
      return "step_added";
    case "complete":
      return request.stepId === null ? "completed" : "step_completed";
    case "switch":
      return "switched";
    case "list":
    case "pending":
      return undefined;
  }
}
