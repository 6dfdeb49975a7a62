import { Cancellation } from "../../base/cancellation.ts";
import type { AskClient } from "../../calls/ask-client.ts";
import type { CallOutcome, TaskOptions } from "../../calls/call.ts";
import type { LogLevel } from "../../protocol/json-rpc.ts";
import { tasksNotDeclared } from "../../protocol/mcp-task.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { faultReply, type MethodReply, resultReply } from "../connection/method.ts";
import type { ServedConnection } from "../context/server-context.ts";
import type { McpTask } from "../tasks/mcp-task.ts";
import { mcpTasksOf } from "../tasks/mcp-tasks.ts";
import { TaskAsk } from "../tasks/task-ask.ts";
import { ToolCall } from "./handler-context.ts";

/** Runs a call that may become an MCP task; refuses one that has to, of a client that did not declare them. */
export function callAsTask(
  name: string,
  args: unknown,
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  if (!request.asker.capabilities.tasks) return faultReply(tasksNotDeclared(`The tool ${name}`));
  return new TaskCall(name, args, request, connection).run();
}

/**
 * A `tools/call` that may become an MCP task: `becomeTask` answers the request, and whatever the call comes
 * to afterwards is the task's. Until then it is a call as any other.
 */
export class TaskCall extends ToolCall {
  readonly #request: ActiveRequest;
  readonly #connection: ServedConnection;
  /** The call's own: that of the request ends with the reply, which the work may outlive. */
  readonly #cancellation = new Cancellation();
  readonly #reply = Promise.withResolvers<MethodReply>();
  #taskAsk: TaskAsk | undefined;
  #task: McpTask | undefined;

  constructor(name: string, args: unknown, request: ActiveRequest, connection: ServedConnection) {
    super(name, args, request, connection);
    this.#request = request;
    this.#connection = connection;
    request.cancellation.onCancel(() => this.#onRequestCancelled());
  }

  /** Runs the call; the reply is there when the call is over, or has become an MCP task. */
  run(): Promise<MethodReply> {
    this.#connection.server.features.router.call(this).then(
      (outcome) => this.#settle(outcome),
      (error: unknown) => this.#settleWithError(error),
    );
    return this.#reply.promise;
  }

  /** @throws FaultError when there are too many MCP tasks: the call can still be answered as usual */
  readonly becomeTask = (options?: TaskOptions): void => {
    if (this.#task !== undefined || this.#cancellation.isCancelled) return;
    const tasks = mcpTasksOf(this.#connection.server);
    this.#task = tasks.create(this.client.id, this.#cancellation, options);
    this.#request.progress?.finish();
    this.#reply.resolve(resultReply(this.#task.createResult()));
  };

  override get cancellation(): Cancellation {
    return this.#cancellation;
  }

  override get ask(): AskClient {
    this.#taskAsk ??= new TaskAsk({
      inRounds: () => super.ask,
      task: () => this.#task,
      capabilities: this.capabilities,
    });
    return this.#taskAsk;
  }

  /** Log messages do not exist for MCP tasks (docs/spec/modern.md#task-methods). */
  override log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#task === undefined) super.log(level, data, logger);
  }

  #settle(outcome: CallOutcome): void {
    if (this.#task === undefined) this.#reply.resolve(outcome);
    else this.#task.settle(outcome);
  }

  #settleWithError(error: unknown): void {
    if (this.#task === undefined) this.#reply.reject(error);
    else this.#task.settleWithError(error);
  }

  /** A client that has the task cancels it by `tasks/cancel` only; one that never got it wants nothing of it. */
  #onRequestCancelled(): void {
    if (this.#request.isAnswered) return;
    this.#task?.cancel();
    this.#cancellation.cancel();
  }
}
