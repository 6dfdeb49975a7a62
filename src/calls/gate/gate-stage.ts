import type { Params } from "../../protocol/json-rpc.ts";
import { resolvedCall } from "../call-target.ts";
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
export interface Look {
  /** Replaces the result, as JSON text. */
  readonly json?: string;
  /** Replaces the data for programs, as JSON text. */
  readonly dataJson?: string;
  /** Lines to end the result with. */
  readonly lines: readonly string[];
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
  /** True: `after` wants the data of the result, not only what the client gets. Absent: false. */
  wantsData?(call: CallRequest): boolean;
  /**
   * The call was made. Undefined: no changes, and nothing to wait for. Never rejects.
   * @param leftMs the rest of the client's patience; Infinity when it waits forever, or no longer waits
   */
  after?(call: CallRequest, outcome: CallOutcome, leftMs: number): Promise<Look> | undefined;
}

/** Has lines to end results with, such as callbacks that fired. They wait for a result that can carry them. */
export interface NoteSource {
  /** Lines for the result of this call, which may still fail to be delivered; empty = none. */
  notesFor(call: CallRequest): readonly string[];
  /** These lines, which `notesFor` gave, are on their way to the client. */
  delivered(call: CallRequest, lines: readonly string[]): void;
}

/** How a call went. */
export interface CallEnd {
  readonly decision: "allowed" | Refusal["decision"];
  /** Absent when it was refused, or ended by an error. */
  readonly outcome?: CallOutcome["kind"];
  readonly durationMs: number;
  /** Of the result, as it was sent on. */
  readonly resultChars?: number;
}

/** Notified of every call, such as the audit log. Must not throw and must not wait. */
export interface CallWatcher {
  began?(call: CallRequest): void;
  ended?(call: CallRequest, end: CallEnd): void;
}

/** The call to make, or the refusal. */
interface Admission {
  readonly request: CallRequest;
  readonly refusal?: Refusal;
}

/** Takes calls through the stages, one after the other. */
export class Admissions {
  readonly #stages: readonly GateStage[];

  constructor(stages: readonly GateStage[]) {
    this.#stages = stages;
  }

  /**
   * Undefined, without a turn of the loop, where no stage has anything to wait for: the call is made as it came.
   * @throws InputNeeded to be let through
   */
  admit(request: CallRequest): Promise<Admission> | undefined {
    for (const [index, stage] of this.#stages.entries()) {
      const checking = stage.check(request, () => this.#isLast(request, index));
      if (checking !== undefined) return this.#admitAfter(request, checking, index);
    }
    return undefined;
  }

  /** @param index of the stage that is being waited for */
  async #admitAfter(
    asked: CallRequest,
    checking: Promise<Refusal | Amendment | undefined>,
    index: number,
  ): Promise<Admission> {
    let admission = await this.#amended(asked, await checking, index);
    for (const [next, stage] of this.#stages.entries()) {
      if (next <= index) continue;
      const { request, refusal } = admission;
      if (refusal !== undefined) break;
      const checked = await stage.check(request, () => this.#isLast(request, next));
      admission = await this.#amended(request, checked, next);
    }
    return admission;
  }

  /** The call as the stage at `index` wants it, unless those before it, or the user, object. */
  async #amended(
    asked: CallRequest,
    checked: Refusal | Amendment | undefined,
    index: number,
  ): Promise<Admission> {
    if (checked === undefined) return { request: asked };
    if ("decision" in checked) return { request: asked, refusal: checked };
    const { args, confirm } = checked;
    const request = args === undefined ? asked : withArguments(asked, args);
    for (const stage of request === asked ? [] : this.#stages.slice(0, index)) {
      const again = await stage.check(request, notLast);
      if (again !== undefined && "decision" in again) return { request, refusal: again };
    }
    const refusal = await confirm?.(request);
    return refusal === undefined ? { request } : { request, refusal };
  }

  #isLast(request: CallRequest, index: number): boolean {
    return this.#stages.every((stage, at) => at <= index || stage.mayObject?.(request) === false);
  }
}

const notLast = (): boolean => false;

function withArguments(request: CallRequest, args: Params): CallRequest {
  const { name, target } = request;
  return resolvedCall(request, { name, args, ...(target === undefined ? {} : { target }) });
}

/** The number of running tool calls of each client; callbacks and idleness depend on it. */
export class RunningCalls implements CallWatcher {
  readonly #counts = new Map<string, number>();
  readonly #listeners = new Set<(clientId: string, running: number) => void>();

  began({ client }: CallRequest): void {
    this.#set(client.id, this.of(client.id) + 1);
  }

  ended({ client }: CallRequest): void {
    this.#set(client.id, this.of(client.id) - 1);
  }

  of(clientId: string): number {
    return this.#counts.get(clientId) ?? 0;
  }

  /** Calls `listener` when the number of a client's running calls becomes 0 or is not 0 any more. */
  listen(listener: (clientId: string, running: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(clientId: string, running: number): void {
    const before = this.of(clientId);
    if (running > 0) this.#counts.set(clientId, running);
    else this.#counts.delete(clientId);
    if ((before === 0) === (running === 0)) return;
    for (const listener of this.#listeners) listener(clientId, running);
  }
}
