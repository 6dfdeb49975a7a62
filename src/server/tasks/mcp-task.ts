import { AppError } from "../../base/errors.ts";
import { mcpTaskResultCharsMax } from "../../base/limits.ts";
import type { Cancellation } from "../../base/cancellation.ts";
import { replyOfError } from "../../calls/ask-client.ts";
import type { CallOutcome } from "../../calls/call.ts";
import type { InputRequests, InputResponses } from "../../protocol/input-request.ts";
import { createFault, errorCodes, type Params } from "../../protocol/json-rpc.ts";
import {
  encodeCreateTaskResult,
  encodeGetTaskResult,
  type McpTaskEnd,
  type McpTaskState,
  type McpTaskView,
  taskNotificationParams,
} from "../../protocol/mcp-task.ts";
import { TaskInputs } from "./task-inputs.ts";

export interface McpTaskParts {
  readonly id: string;
  /** `ClientContext.id`: to everybody else the id is unknown. */
  readonly ownerId: string;
  /** Stops the call that the task stands for. */
  readonly cancellation: Cancellation;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  readonly statusMessage: string | undefined;
  /** Called after each change that a client can see. */
  readonly onChange: (task: McpTask) => void;
}

/**
 * A call that went on after its request was answered (docs/spec/modern.md#mcp-tasks). How it ends is decided once:
 * by the outcome of the call or by `cancel`, whichever comes first.
 */
export class McpTask {
  readonly id: string;
  readonly ownerId: string;
  readonly ttlMs: number | null;
  readonly #pollIntervalMs: number;
  readonly #onChange: (task: McpTask) => void;
  readonly #inputs = new TaskInputs();
  readonly #createdAt = new Date().toISOString();
  #lastUpdatedAt = this.#createdAt;
  #statusMessage: string | undefined;
  #end: McpTaskEnd | undefined;
  /** Undefined when the call has come back: all that the call used hangs on it, and goes with it. */
  #cancellation: Cancellation | undefined;

  constructor(parts: McpTaskParts) {
    this.id = parts.id;
    this.ownerId = parts.ownerId;
    this.ttlMs = parts.ttlMs;
    this.#pollIntervalMs = parts.pollIntervalMs;
    this.#onChange = parts.onChange;
    this.#cancellation = parts.cancellation;
    this.#statusMessage = parts.statusMessage;
  }

  get state(): McpTaskState {
    if (this.#end !== undefined) return this.#end;
    const inputRequests = this.#inputs.requests;
    if (inputRequests === undefined) return { status: "working" };
    return { status: "input_required", inputRequests };
  }

  /** Its state is final, and the call behind it has come back: it only takes up room. */
  get isOver(): boolean {
    return this.#end !== undefined && this.#cancellation === undefined;
  }

  /** Characters of the result that it keeps. */
  get storedChars(): number {
    return this.#end?.status === "completed" ? this.#end.json.length : 0;
  }

  /** The result of the request that it was made for. */
  createResult(): string {
    return encodeCreateTaskResult(this.view);
  }

  /** The result of `tasks/get`. */
  getResult(): string {
    return encodeGetTaskResult(this.view);
  }

  /** The parameters of `notifications/tasks`, without `_meta`. */
  notificationParams(): Params {
    return taskNotificationParams(this.view);
  }

  /**
   * Asks the client; it sees the requests in `tasks/get` and answers by `tasks/update`.
   * @throws AppError `cancelled` when the task ends first, `limit` when too much was asked
   */
  ask(requests: InputRequests): Promise<InputResponses> {
    if (this.#end !== undefined) {
      return Promise.reject(new AppError("cancelled", "The MCP task has ended."));
    }
    const responses = this.#inputs.ask(requests);
    this.#changed();
    return responses;
  }

  /** `inputResponses` of `tasks/update`: answers to some, all or none of the open questions. */
  update(responses: Params): void {
    if (this.#inputs.answer(responses)) this.#changed();
  }

  /** Ends it as `cancelled` if it has not ended, and stops the call. */
  cancel(): void {
    this.#endAs({ status: "cancelled" });
    this.#cancellation?.cancel();
  }

  /** The call has come back. */
  settle(outcome: CallOutcome): void {
    this.#cancellation = undefined;
    this.#endAs(endOf(outcome));
  }

  /** The call has come back by a rejection. */
  settleWithError(error: unknown): void {
    this.settle(replyOfError(error));
  }

  #endAs(end: McpTaskEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    // Its last status message is out of date.
    this.#statusMessage = end.status === "failed" ? end.fault.message : undefined;
    this.#inputs.close("The MCP task has ended.");
    this.#changed();
  }

  #changed(): void {
    this.#lastUpdatedAt = new Date().toISOString();
    this.#onChange(this);
  }

  /** As the client sees it now. */
  get view(): McpTaskView {
    return {
      taskId: this.id,
      state: this.state,
      statusMessage: this.#statusMessage,
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#lastUpdatedAt,
      ttlMs: this.ttlMs,
      pollIntervalMs: this.#pollIntervalMs,
    };
  }
}

function endOf(outcome: CallOutcome): McpTaskEnd {
  switch (outcome.kind) {
    case "result":
      return resultEnd(outcome.json);
    case "fault":
      return { status: "failed", fault: outcome.fault };
    case "cancelled":
      return { status: "cancelled" };
    case "input-required":
      return failed("the call asked its first round when it was an MCP task already");
  }
}

/** A result that is kept longer than it takes to send it must leave room for those of others. */
function resultEnd(json: string): McpTaskEnd {
  if (json.length <= mcpTaskResultCharsMax) return { status: "completed", json };
  return failed(
    `the result has ${json.length} characters, and an MCP task keeps ${mcpTaskResultCharsMax} at most`,
  );
}

function failed(reason: string): McpTaskEnd {
  const fault = createFault(errorCodes.internalError, `Internal error: ${reason}`);
  return { status: "failed", fault };
}
