import type { Execution } from "../../commands/background/execution.ts";
import type { ClientKey, ServerFacts, ServerState } from "./messages.ts";

/** The state and actions that the server offers to attached terminals. */
export interface AttachSources {
  readonly facts: ServerFacts;
  /** All that is held just now. */
  state(): Promise<ServerState>;
  /** Undefined when there is no such task any more. */
  executionOf(client: ClientKey, taskId: number): Execution | undefined;
  /** Resolves when the task has ended. @throws AppError `not_found` */
  kill(client: ClientKey, taskId: number): Promise<void>;
  /** @throws AppError `not_found` */
  cancelCallback(client: ClientKey, callbackId: number): Promise<void>;
  /** Calls `onChange` when `state` may be another one; what is not told is looked for now and then. */
  listen(onChange: () => void): () => void;
}
