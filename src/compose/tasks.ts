import { tasksResourceCharsMax } from "../base/limits.ts";
import type { EventStream, ServerEvent, StateScope } from "../base/server-events.ts";
import type { ClientContext } from "../calls/call.ts";
import { type StateResource, tasksResource } from "../calls/resources/state-resources.ts";
import { watchScope } from "../calls/resources/watch-scope.ts";
import { scopeOf, type StateServices } from "../calls/state-calls.ts";
import { EngineTaskLook } from "../state/store/engine-looks.ts";
import { TaskLook } from "../state/store/look-file.ts";
import type { StoreClient } from "../state/store/worker/store-client.ts";
import type { TaskReply, TaskRequest, TasksReply } from "../tools/state-services.ts";

export interface TasksParts {
  readonly store: Pick<StoreClient, "call">;
  readonly storePath: string;
  /** True when the store is not in that file. */
  readonly hasEngine?: boolean;
  readonly events: EventStream;
}

/** Tasks as the rest of the server sees them: for handlers and as a resource. */
export class Tasks implements Disposable {
  readonly service: StateServices["tasks"] = {
    perform: (request, { client }) => this.#perform(request, client),
  };
  readonly resource: StateResource = tasksResource({
    tasks: (client) =>
      this.#perform({ action: "list", words: [], charsMax: tasksResourceCharsMax }, client),
    watch: (client, tell) => this.#watch(client, tell),
  });
  readonly #parts: TasksParts;
  readonly #fileLook: TaskLook;
  readonly #engineLook: EngineTaskLook;

  constructor(parts: TasksParts) {
    this.#parts = parts;
    this.#fileLook = new TaskLook(parts.storePath);
    this.#engineLook = new EngineTaskLook(parts.store);
  }

  [Symbol.dispose](): void {
    this.#fileLook[Symbol.dispose]();
  }

  /** Reports changes once they are on the disk. */
  async #perform(request: TaskRequest, client: ClientContext): Promise<TasksReply> {
    const { store, events } = this.#parts;
    const scope = await scopeOf(client);
    const { value, notices } = await store.call({
      method: "tasks.perform",
      request: { scope, request },
    });
    const event = eventOf(scope, request, value);
    if (event !== undefined) events.emit(event);
    return { ...value, notices };
  }

  #watch(client: ClientContext, tell: () => void): () => void {
    let seen = 0;
    // Tasks that cannot be read now are taken to be unchanged.
    const keep = (revision: number | undefined): string => String((seen = revision ?? seen));
    const look = (scope: StateScope): string | Promise<string> =>
      this.#parts.hasEngine === true
        ? this.#engineLook.revision(scope).then(keep)
        : keep(this.#fileLook.revision(scope));
    return watchScope({ look, events: this.#parts.events, kind: "task" }, client, tell);
  }
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
