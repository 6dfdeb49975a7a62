import { Cancellation } from "../../base/cancellation.ts";
import type { ReplyRecord } from "../../base/reply-record.ts";
import { isObject } from "../../base/values.ts";
import {
  type AskClient,
  type AskOptions,
  FaultError,
  replyOfError,
} from "../../calls/ask-client.ts";
import type { CallOutcome, TaskOptions } from "../../calls/call.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import {
  canBeAsked,
  cannotBeAsked,
  type InputKind,
  type InputRequests,
  type InputResponses,
  kindsLacking,
} from "../../protocol/input-request.ts";
import type { LogLevel, Params } from "../../protocol/json-rpc.ts";
import {
  encodeGetTaskResult,
  type McpTaskView,
  taskAcknowledgement,
  tasksNotDeclared,
} from "../../protocol/mcp-task.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import {
  badParams,
  faultReply,
  invalidParams,
  type MethodReply,
  resultReply,
} from "../connection/replies.ts";
import type { ServedConnection } from "../context/server-context.ts";
import type { McpTask } from "../tasks/mcp-task.ts";
import { mcpTasksOf } from "../tasks/mcp-tasks.ts";
import { ToolCall } from "./handler-context.ts";

/** The part of an MCP task that its methods need. */
interface NamedTask {
  getResult(): string;
  cancel(): void;
  update(responses: Params): void;
}

/**
 * The MCP task that a request names. @throws FaultError -32602 without an id, -32021 without the extension in this very
 * request, -32602 for an unknown or expired task, or another client's (docs/spec/modern.md#declaring-tasks, docs/spec/modern.md#task-methods)
 */
function taskOf(
  request: ActiveRequest,
  connection: ServedConnection,
): NamedTask | Promise<NamedTask> {
  const taskId = request.params?.taskId;
  if (typeof taskId !== "string" || taskId === "") {
    throw badParams("taskId must be the id of an MCP task");
  }
  if (!request.asker.capabilities.tasks) throw new FaultError(tasksNotDeclared(request.method));
  const tasks = mcpTasksOf(connection.server);
  const task = tasks.find(request.client.id, taskId);
  if (task !== undefined) return task;
  if (tasks.records === undefined) throw noTask(taskId);
  return tasks.records.find(request.client.id, taskId).then((view) => {
    if (view === undefined) throw noTask(taskId);
    return endedTask(view);
  });
}

function noTask(taskId: string): FaultError {
  const shown = JSON.stringify(taskId.slice(0, 100));
  return badParams(`there is no MCP task ${shown}; it may have expired`);
}

/** One that another process had: it has ended, there is nothing to cancel and no question to answer. */
function endedTask(view: McpTaskView): NamedTask {
  return { getResult: () => encodeGetTaskResult(view), cancel: () => {}, update: () => {} };
}

function withTask(
  request: ActiveRequest,
  connection: ServedConnection,
  reply: (task: NamedTask) => MethodReply,
): MethodReply | Promise<MethodReply> {
  const task = taskOf(request, connection);
  return task instanceof Promise ? task.then(reply) : reply(task);
}

/** `tasks/cancel`: acknowledged also when the MCP task has ended before (docs/spec/modern.md#mcp-tasks). */
export function handleTasksCancel(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  return withTask(request, connection, (task) => {
    task.cancel();
    return resultReply(taskAcknowledgement);
  });
}

/** `tasks/get`: the MCP task as it is now (docs/spec/modern.md#mcp-tasks). */
export function handleTasksGet(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  return withTask(request, connection, (task) => resultReply(task.getResult()));
}

/** `tasks/update`: takes what answers an open question; the rest is ignored (docs/spec/modern.md#mcp-tasks). */
export function handleTasksUpdate(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const responses = request.params?.inputResponses;
  if (!isObject(responses)) return invalidParams("inputResponses must be an object");
  return withTask(request, connection, (task) => {
    task.update(responses);
    return resultReply(taskAcknowledgement);
  });
}

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
  override readonly cancellation = new Cancellation();
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
    this.#connection.server.features.tools.call(this).then(
      (outcome) => this.#settle(outcome),
      (error: unknown) => this.#settleWithError(error),
    );
    return this.#reply.promise;
  }

  /** @throws FaultError when there are too many MCP tasks: the call can still be answered as usual */
  readonly becomeTask = (options?: TaskOptions): void => {
    if (this.#task !== undefined || this.cancellation.isCancelled) return;
    const tasks = mcpTasksOf(this.#connection.server);
    this.#task = tasks.create(this.client.id, this.cancellation, options);
    this.observed?.goOn();
    this.#request.progress?.finish();
    const reply = resultReply(this.#task.createResult());
    // A task is there before the client hears of it, on other replicas too.
    const kept = tasks.kept(this.#task);
    this.#reply.resolve(kept === undefined ? reply : kept.then(() => reply));
  };

  override get ask(): AskClient {
    this.#taskAsk ??= new TaskAsk({
      inRounds: () => super.ask,
      task: () => this.#task,
      capabilities: this.capabilities,
    });
    return this.#taskAsk;
  }

  /** Once the request has been answered with the task, its result is that of the task. */
  override atReply(record: ReplyRecord): void {
    if (this.#task === undefined) super.atReply(record);
    else record.taken();
  }

  /** Log messages do not exist for MCP tasks (docs/spec/modern.md#task-methods). */
  override log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#task === undefined) super.log(level, data, logger);
  }

  #settle(outcome: CallOutcome): void {
    if (this.#task === undefined) return this.#reply.resolve(outcome);
    this.#task.settle(outcome);
    this.#noteEnd(outcome);
  }

  #settleWithError(error: unknown): void {
    if (this.#task === undefined) return this.#reply.reject(error);
    this.#task.settleWithError(error);
    this.#noteEnd(replyOfError(error));
  }

  #noteEnd(outcome: CallOutcome): void {
    this.observed?.taskEnded(
      outcome.kind === "result" ? outcome.json : undefined,
      outcome.kind === "fault" ? outcome.fault.code : undefined,
    );
  }

  /** A client that has the task cancels it by `tasks/cancel` only; one that never got it wants nothing of it. */
  #onRequestCancelled(): void {
    if (this.#request.isAnswered) return;
    this.#task?.cancel();
    this.cancellation.cancel();
  }
}

interface TaskAskParts {
  /** Asks in rounds of the request, while it is not answered (docs/spec/modern.md#questions). */
  readonly inRounds: () => AskClient;
  readonly task: () => McpTask | undefined;
  readonly capabilities: ClientCapabilities;
}

/** Asks by rounds of the request until the call has become an MCP task, then by the task. */
export class TaskAsk implements AskClient {
  readonly #parts: TaskAskParts;

  constructor(parts: TaskAskParts) {
    this.#parts = parts;
  }

  get endsCall(): boolean {
    return this.#parts.task() === undefined;
  }

  /** A call that has become an MCP task has no more rounds. */
  get isReplaying(): boolean {
    return this.#parts.task() === undefined && this.#parts.inRounds().isReplaying === true;
  }

  mark(what: string): void {
    this.#parts.inRounds().mark?.(what);
  }

  isMarked(what: string): boolean {
    return this.#parts.inRounds().isMarked?.(what) === true;
  }

  marksWith(prefix: string): readonly string[] {
    return this.#parts.inRounds().marksWith?.(prefix) ?? [];
  }

  can(kind: InputKind): boolean {
    return canBeAsked(this.#parts.capabilities, kind);
  }

  /** @throws FaultError -32021 for a capability that the client did not declare (docs/spec/modern.md#questions) */
  async ask(requests: InputRequests, options: AskOptions = {}): Promise<InputResponses> {
    const task = this.#parts.task();
    if (task === undefined) return this.#parts.inRounds().ask(requests, options);
    const lacking = kindsLacking(requests, (kind) => this.can(kind));
    if (lacking.length > 0) throw new FaultError(cannotBeAsked(lacking));
    const askedAt = performance.now();
    const responses = await task.ask(requests);
    options.onTook?.(performance.now() - askedAt);
    return responses;
  }
}
