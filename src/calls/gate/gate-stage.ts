import type { Params } from "../../protocol/json-rpc.ts";
import type { CallOutcome, CallRefusal, CallRequest } from "../call.ts";

/** Why a call is not made. */
export interface Refusal {
  /**
   * `pending`: the user has been asked and has not answered yet. `invalid`: there is no such tool, or it takes other
   * arguments.
   */
  readonly decision: CallRefusal;
  /** For the model: the refused call, the reason, and what to do instead. */
  readonly text: string;
  /** True: reported as an error of the protocol (-32602), not as a result. */
  readonly isFault?: boolean;
}

/** The call is to be made, but not as it came. */
export interface Amendment {
  /** Replaces its arguments; the stages before check it again. */
  readonly args?: Params;
  /**
   * Called when they do not object: asks whether the user agrees to the changed call.
   * @throws InputNeeded to be let through
   */
  readonly confirm?: (call: CallRequest) => Promise<Refusal | undefined>;
}

/** The changes of a stage to the result of a call. */
export interface ResultChange {
  /** Replaces the result, as JSON text. */
  readonly json?: string;
  /** Replaces the data for programs, as JSON text. */
  readonly dataJson?: string;
  /** Lines to end the result with. */
  readonly lines: readonly string[];
}

/**
 * How long a stage has nothing to do for calls of one kind: the same client, all with its `roots` or all without, the same
 * tool and target. It must not depend on anything else of a call, such as its arguments, its revision or the scopes of its
 * token. The owner of the state that the stage reads ends a rest early by setting `until` back.
 */
export interface Rest {
  /** On the clock of `performance.now()`; Infinity when nothing can change it. */
  readonly until: number;
}

/** A check that may refuse a call. Stages run one after the other; the first refusal decides. */
export interface GateStage {
  /**
   * Undefined, at once or later: no objection. A check that needs no waiting does not wait, because every call passes here.
   * @param isLast whether no later stage may object: checks that the call itself makes may be left to it
   * @throws InputNeeded to be let through
   */
  check(
    call: CallRequest,
    isLast: () => boolean,
  ): Promise<Refusal | Amendment | undefined> | undefined;
  /** False: in the current state `check` has no objection to this call, and does nothing for it. Absent: true. */
  mayObject?(call: CallRequest): boolean;
  /**
   * The rest of this stage, asked for after `check` had nothing against the call. While it lasts, no method of the stage would
   * do anything for a call of this kind, and the gate does not enter it. Undefined, or absent: each call must be checked.
   */
  restFor?(call: CallRequest): Rest | undefined;
  /** True: `after` wants the data of the result, not only what the client gets. Absent: false. */
  wantsData?(call: CallRequest): boolean;
  /**
   * The call was made. Undefined: no changes, and nothing to wait for. Never rejects.
   * @param leftMs the rest of the client's patience; Infinity when it waits forever, or no longer waits
   */
  after?(
    call: CallRequest,
    outcome: CallOutcome,
    leftMs: number,
  ): Promise<ResultChange> | undefined;
}

/** Has lines to end results with, such as callbacks that fired. They wait for a result that can carry them. */
export interface NoteSource {
  /** The clients for which lines may wait, by id. Absent: any client. */
  readonly clients?: { has(clientId: string): boolean };
  /** Lines for the result of this call, which may still fail to be delivered; empty = none. */
  notesFor(call: CallRequest): readonly string[];
  /** Called when the lines that `notesFor` gave are on their way to the client. */
  delivered(call: CallRequest, lines: readonly string[]): void;
}

/** How a call went. */
export interface CallEnd {
  readonly decision: "allowed" | Refusal["decision"];
  /** Absent when it was refused, or ended by an error. */
  readonly outcome?: CallOutcome["kind"];
  readonly durationMs: number;
  /** Length of the result, as it was sent on. */
  readonly resultChars?: number;
}

/** Notified of every call, such as the audit log. Must not throw and must not wait. */
export interface CallWatcher {
  /** The calls whose end it wants to know. Absent: all calls. */
  readonly calls?: { has(call: CallRequest): boolean };
  began?(call: CallRequest): void;
  ended?(call: CallRequest, end: CallEnd): void;
}
