import { Cancellation } from "../../base/cancellation.ts";
import type { AskClient } from "../../calls/ask-client.ts";
import type { CallOutcome, CallRequest, TaskOptions } from "../../calls/call.ts";
import { isObject, type LogLevel } from "../../protocol/json-rpc.ts";
import { tasksNotDeclared } from "../../protocol/mcp-task.ts";
import { badArguments } from "../../protocol/result-codec.ts";
import { isModernVersion } from "../../protocol/versions.ts";
import { withRounds } from "../ask/with-rounds.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { faultReply, invalidParams, type MethodReply, resultReply } from "../connection/method.ts";
import type { ServedConnection } from "../context/server-context.ts";
import type { McpTask } from "../tasks/mcp-task.ts";
import { TaskAsk } from "../tasks/task-ask.ts";
import { taskSupportOf } from "../tasks/task-inputs.ts";
import { HandlerContext, unknownCursor } from "./handler-context.ts";

/** A `tools/call` as the router sees it. */
class ToolCall extends HandlerContext implements CallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly closeStream?: () => void;

  constructor(name: string, args: unknown, request: ActiveRequest, connection: ServedConnection) {
    super(request, connection);
    this.name = name;
    this.args = args;
    const { closeEarly } = request.lane;
    if (closeEarly !== undefined) this.closeStream = closeEarly;
  }
}

/** `tools/list` (docs/spec/modern.md#tools). At once where the list is the same for all clients with the same extensions. */
export function handleToolsList(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const { version, client, params, asker } = request;
  connection.server.features.router.meet?.(asker.capabilities);
  const showsApps = asker.capabilities.apps !== undefined;
  const page = connection.server.toolPages.page(version, client, params?.cursor, showsApps);
  return page instanceof Promise ? page.then(replyOf) : replyOf(page);
}

function replyOf(json: string | undefined): MethodReply {
  return json === undefined ? unknownCursor() : resultReply(json);
}

/** `tools/call`: checks the shape of the parameters; the router knows the tools, their Worker checks the arguments. */
export function handleToolsCall(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const { params, version, client } = request;
  const name = params?.name;
  const args = params?.arguments;
  if (typeof name !== "string" || name === "") return invalidParams("name must be a tool's name");
  if (name.includes("\0")) return invalidParams("name must not contain a NUL character");
  if (args !== undefined && !isObject(args)) {
    return badArguments(
      version,
      `Invalid arguments for ${name.slice(0, 100)}: arguments must be an object`,
    );
  }
  const { mayUse } = client;
  if (mayUse !== undefined && !mayUse(name)) {
    return invalidParams(`you may not use the tool ${name.slice(0, 100)}`);
  }
  return withRounds(request, connection, () => run(name, args, request, connection));
}

/** The server alone decides whether a call becomes an MCP task; a `task` parameter says nothing (docs/spec/modern.md#mcp-tasks). */
function run(
  name: string,
  args: unknown,
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const { router } = connection.server.features;
  const support = isModernVersion(request.version) ? taskSupportOf(router, name) : "none";
  if (support === "none") return router.call(new ToolCall(name, args, request, connection));
  if (request.asker.capabilities.tasks) return new TaskCall(name, args, request, connection).run();
  if (support === "required") return faultReply(tasksNotDeclared(`The tool ${name}`));
  return router.call(new ToolCall(name, args, request, connection));
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
    const { mcpTasks } = this.#connection.server;
    this.#task = mcpTasks.create(this.client.id, this.#cancellation, options);
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
