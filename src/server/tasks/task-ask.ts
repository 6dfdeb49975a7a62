import { type AskClient, type AskOptions, FaultError } from "../../calls/ask-client.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import {
  canBeAsked,
  cannotBeAsked,
  type InputKind,
  type InputRequests,
  type InputResponses,
  kindsLacking,
} from "../../protocol/input-request.ts";
import type { McpTask } from "./mcp-task.ts";

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
