import { type AskClient, FaultError } from "../../gateway/ask-client.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import {
  canBeAsked,
  type InputKind,
  inputKindOf,
  type InputRequests,
  type InputResponses,
  requiredCapabilities,
} from "../../protocol/input-request.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { McpTask } from "./mcp-task.ts";

interface TaskAskParts {
  /** Asks in rounds of the request, while it is not answered (modern.md section 6). */
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

  can(kind: InputKind): boolean {
    return canBeAsked(this.#parts.capabilities, kind);
  }

  ask(requests: InputRequests): Promise<InputResponses> {
    const task = this.#parts.task();
    if (task === undefined) return this.#parts.inRounds().ask(requests);
    const missing = Object.values(requests)
      .map(inputKindOf)
      .filter((kind) => !this.can(kind));
    return missing.length === 0 ? task.ask(requests) : Promise.reject(cannotBeAsked(missing));
  }
}

/** What the client did not declare it is not asked for (modern.md section 6). */
function cannotBeAsked(kinds: readonly InputKind[]): FaultError {
  const message = `The client did not declare that it can be asked for: ${kinds.join(", ")}`;
  const data = { requiredCapabilities: requiredCapabilities(kinds) };
  return new FaultError(createFault(errorCodes.missingClientCapability, message, data));
}
