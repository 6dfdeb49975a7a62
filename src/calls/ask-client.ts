import type { Cancellation } from "../base/cancellation.ts";
import { AppError, messageOf } from "../base/errors.ts";
import type { InputKind, InputRequests, InputResponses } from "../protocol/input-request.ts";
import { createFault, errorCodes, type ProtocolFault } from "../protocol/json-rpc.ts";

/**
 * The one way to ask the client, or the person in front of it, in every era and on every transport.
 * A handler is written once:
 *
 *     const { name } = await context.ask.ask({ name: form });
 *
 * - Legacy: the requests go out as real server requests and the promise waits for the answers.
 * - Modern: the first round rejects with `InputNeeded`, which the handler lets pass; the client comes back
 *   with the answers, the handler runs again from its start, and the same `ask` resolves at once.
 * - MCP task: the task says `input_required` and the promise waits for `tasks/update`.
 *
 * So a handler that asks is deterministic up to the last `ask` and has no side effects before it.
 */
export interface AskClient {
  /**
   * True when the call has come further than this in an earlier round, so that all before the next `ask` was done
   * then. Absent: calls of this client have no rounds.
   */
  readonly isReplaying?: boolean;
  /** Remembers for later rounds of this call that something was done which must not be done again, such as its hooks. */
  mark?(what: string): void;
  /** True when it was done before, in whatever round. */
  isMarked?(what: string): boolean;
  /** The marks that begin with `prefix`, without it, in the order in which they were set. */
  marksWith?(prefix: string): readonly string[];
  /** False when the client did not declare it: use another way. */
  can(kind: InputKind): boolean;
  /** True where the call ends with the question, and the handler runs again with the answer. */
  readonly endsCall?: boolean;
  /**
   * Asks for all of `requests` at once.
   * @throws InputNeeded to be let through, @throws AppError `unsupported` when `can` is false for one of them,
   *   `cancelled` when the call was cancelled or nobody answered in time.
   */
  ask(requests: InputRequests, options?: AskOptions): Promise<InputResponses>;
}

export interface AskOptions {
  /**
   * Where the promise waits for real answers: asked until this is cancelled, also when the call was answered before
   * that. Without it, for as long as the call is wanted and `askMsMax` at most.
   */
  readonly until?: Cancellation;
  /** Called when the answers come, with the milliseconds that they took; not called when nobody knows. */
  readonly onTook?: (tookMs: number) => void;
}

/** Not a failure: the call ends with `input_required`, and its handler runs again with the answers. */
export class InputNeeded extends Error {
  override readonly name = "InputNeeded";
  readonly requests: InputRequests;
  /** The state of the next round, sealed: the client returns it unchanged. */
  readonly requestState: string;

  constructor(requests: InputRequests, requestState: string) {
    super("The client has been asked; the call goes on when it comes back with the answers.");
    this.requests = requests;
    this.requestState = requestState;
  }
}

/** Thrown by a handler that must answer with a JSON-RPC error of its own. */
export class FaultError extends Error {
  override readonly name = "FaultError";
  readonly fault: ProtocolFault;

  constructor(fault: ProtocolFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** How a request ends by an error. */
export type ErrorReply =
  | { readonly kind: "fault"; readonly fault: ProtocolFault }
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState: string;
    };

/** The reply that a thrown `FaultError` or `InputNeeded` carries; undefined for every other error. */
export function carriedReply(error: unknown): ErrorReply | undefined {
  if (error instanceof FaultError) return { kind: "fault", fault: error.fault };
  if (!(error instanceof InputNeeded)) return undefined;
  const { requests, requestState } = error;
  return { kind: "input-required", requests, requestState };
}

/** The reply to a request whose handler has thrown. An error that is neither carried nor an `AppError` is a bug. */
export function replyOfError(error: unknown): ErrorReply {
  const carried = carriedReply(error);
  if (carried !== undefined) return carried;
  const text = error instanceof AppError ? error.message : `Internal error: ${messageOf(error)}`;
  return { kind: "fault", fault: createFault(errorCodes.internalError, text) };
}
