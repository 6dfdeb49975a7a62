import { AppError } from "../../base/errors.ts";
import { callKindsMax } from "../../base/limits.ts";
import { createFault, errorCodes, type Params } from "../../protocol/json-rpc.ts";
import { encodeCallToolResult } from "../../protocol/result-codec.ts";
import { InputNeeded } from "../ask-client.ts";
import type { CallMaker, CallOutcome, CallRequest, ToolProvider } from "../call.ts";
import { type ToolTarget, upstreamToolOf } from "../call-target.ts";
import type { ObservedRequest } from "../call-observer.ts";
import { resolvedCall } from "../resolved-call.ts";
import type {
  CallEnd,
  CallWatcher,
  ResultChange,
  NoteSource,
  Refusal,
  Amendment,
  GateStage,
  Rest,
} from "./gate-stage.ts";
import { withLinesAbout, withWaitingLines } from "./result-lines.ts";

export interface GateParts {
  /** Makes the calls of our own tools, and may prepare for each while the stages still check it. */
  readonly own: CallMaker & { expectCall?(): void };
  /** Makes the calls of upstream servers' tools, which have a target. Absent: `own` makes them too. */
  readonly upstream?: CallMaker;
  /** The stages, in their order: plan mode, upstream servers, rules, required skills, hooks. */
  readonly admissions: Admissions;
  /** In the order in which their lines are shown. */
  readonly notes: readonly NoteSource[];
  readonly watchers: readonly CallWatcher[];
  /** Names of the built-in tools that can be called. */
  readonly enabledNames?: { has(toolName: string): boolean };
  /** Resolves a name that is not of an own tool, before any stage sees the call. */
  readonly resolve?: (call: CallRequest) => CallRequest | Promise<CallRequest>;
}

/**
 * The one way to a tool: every call, of an own or an upstream tool, passes the stages, is watched, and has
 * the waiting notes added to its result.
 */
export class Gate implements Pick<ToolProvider, "call"> {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  async call(asked: CallRequest): Promise<CallOutcome> {
    const { admissions } = this.#parts;
    const begunAt = performance.now();
    const resolved = this.#resolved(asked);
    let request = resolved instanceof Promise ? await resolved : resolved;
    this.#tellBegun(request);
    // As long as the stages have not let it through it is not allowed, however it ends.
    let end: Omit<CallEnd, "durationMs"> = { decision: "pending" };
    try {
      // Mostly there is nothing to wait for, and an await costs a turn even so.
      const admitting = admissions.admit(request);
      const admission = admitting === undefined ? undefined : await admitting;
      if (admission !== undefined) request = admission.request;
      if (admission?.refusal !== undefined) {
        end = { decision: admission.refusal.decision };
        return this.#withNotes(request, refused(request, admission.refusal));
      }
      end = { decision: "allowed" };
      const made = await this.#make(request);
      if (isInvalid(made)) {
        end = { decision: "invalid" };
        return this.#withNotes(request, made);
      }
      const seen = isInterim(made) ? made : this.#afterStages(request, made, begunAt);
      const outcome = seen instanceof Promise ? await seen : seen;
      end = { decision: "allowed", outcome: outcome.kind, ...charsOf(outcome) };
      return this.#withNotes(request, outcome);
    } catch (error) {
      if (error instanceof InputNeeded) {
        end = { ...end, outcome: "input-required" };
      }
      if (!isEndOf(request, error)) throw error;
      end = { ...end, outcome: "cancelled" };
      return { kind: "cancelled" };
    } finally {
      this.#tellEnded(request, { ...end, durationMs: performance.now() - begunAt });
    }
  }

  #resolved(asked: CallRequest): CallRequest | Promise<CallRequest> {
    const { enabledNames, resolve } = this.#parts;
    return enabledNames?.has(asked.name) === true ? asked : (resolve?.(asked) ?? asked);
  }

  #tellBegun(request: CallRequest): void {
    const { own, watchers } = this.#parts;
    if (request.target === undefined) own.expectCall?.();
    for (const watcher of watchers) watcher.began?.(request);
    if (request.observed !== undefined) this.#noteTarget(request.observed, request);
  }

  /** Names of tools that do not exist are the client's: observers must not take them for tools. */
  #noteTarget(observed: ObservedRequest, { name, target }: CallRequest): void {
    const isOwn = target === undefined && this.#parts.enabledNames?.has(name) === true;
    if (isOwn || target?.kind === "search") observed.tool = name;
    const named = upstreamToolOf(target);
    if (named === undefined) return;
    observed.tool = name;
    observed.server = named.server;
  }

  #tellEnded(request: CallRequest, end: CallEnd): void {
    for (const watcher of this.#parts.watchers) {
      if (watcher.calls?.has(request) !== false) watcher.ended?.(request, end);
    }
  }

  /** The stages see the outcome of a call that is answered before it ends when it ends. */
  #make(request: CallRequest): Promise<CallOutcome> {
    const { own, upstream = own } = this.#parts;
    const afterStages = async (outcome: CallOutcome): Promise<CallOutcome> =>
      this.#afterStages(request, outcome, undefined);
    const maker = request.target === undefined ? own : upstream;
    return maker.call(request, afterStages);
  }

  /**
   * The outcome with the changes of the stages, one after the other.
   * @param begunAt undefined when no client waits for it
   */
  #afterStages(
    request: CallRequest,
    outcome: CallOutcome,
    begunAt: number | undefined,
    from = 0,
  ): CallOutcome | Promise<CallOutcome> {
    const { admissions } = this.#parts;
    for (let index = from; index < admissions.stages.length; index += 1) {
      const stage = admissions.stages[index];
      if (stage?.after === undefined || admissions.isAtRest(request, index)) continue;
      const looking = stage.after(request, outcome, leftMs(request, begunAt));
      if (looking === undefined) continue;
      return looking.then((look) =>
        this.#afterStages(request, withLook(request, outcome, look), begunAt, index + 1),
      );
    }
    return outcome;
  }

  #withNotes(request: CallRequest, outcome: CallOutcome): CallOutcome {
    if (outcome.kind !== "result" || request.cancellation.isCancelled) return outcome;
    let { json } = outcome;
    for (const source of this.#parts.notes) {
      if (source.clients?.has(request.client.id) === false) continue;
      const lines = source.notesFor(request);
      if (lines.length === 0) continue;
      const told = withWaitingLines(request, json, lines);
      if (told === undefined) continue;
      json = told;
      source.delivered(request, lines);
    }
    return json === outcome.json ? outcome : { ...outcome, json };
  }
}

/** The rest of the client's patience; Infinity once that is used up, since the client then waits in another way. */
function leftMs({ client }: CallRequest, begunAt: number | undefined): number {
  const { answerMs } = client.limits;
  if (begunAt === undefined || answerMs === 0) return Number.POSITIVE_INFINITY;
  const left = begunAt + answerMs - performance.now();
  return left > 0 ? left : Number.POSITIVE_INFINITY;
}

function withLook(
  request: CallRequest,
  outcome: CallOutcome,
  { json, dataJson, lines }: ResultChange,
): CallOutcome {
  if (outcome.kind !== "result") return outcome;
  const seen = json ?? outcome.json;
  return {
    ...outcome,
    json: lines.length === 0 ? seen : withLinesAbout(request, seen, lines),
    ...(dataJson === undefined ? {} : { dataJson }),
  };
}

function isInterim(outcome: CallOutcome): boolean {
  return outcome.kind === "result" && outcome.isInterim === true;
}

/** The tool checked the call, and refused it as invalid. */
function isInvalid(outcome: CallOutcome): boolean {
  return "refusal" in outcome && outcome.refusal === "invalid";
}

/** The error is the cancellation of the call. */
function isEndOf({ cancellation }: CallRequest, error: unknown): boolean {
  return cancellation.isCancelled && error instanceof AppError && error.code === "cancelled";
}

function refused(
  { version }: CallRequest,
  { text, isFault, decision: refusal }: Refusal,
): CallOutcome {
  if (isFault === true) {
    const fault = createFault(errorCodes.invalidParams, text.toWellFormed());
    return { kind: "fault", fault, refusal };
  }
  const content = [{ type: "text" as const, text: text.toWellFormed() }];
  const json = encodeCallToolResult({ content, isError: true }, version);
  return { kind: "result", json, refusal };
}

function charsOf(outcome: CallOutcome): Pick<CallEnd, "resultChars"> {
  return outcome.kind === "result" ? { resultChars: outcome.json.length } : {};
}

/** The call to make, or the refusal. */
interface Admission {
  readonly request: CallRequest;
  readonly refusal?: Refusal;
}

/** Calls that every stage treats alike until a rest ends. */
interface CallKind {
  readonly target: ToolTarget | undefined;
  readonly hasRoots: boolean;
  /** The rest of each stage, by the stage's place. */
  readonly rests: (Rest | undefined)[];
}

/** No tool has a longer name; calls of longer names are not kept. */
const keptNameCharsMax = 200;

/** Takes calls through the stages, one after the other; a stage at rest is not entered. */
export class Admissions {
  readonly stages: readonly GateStage[];
  /** The places of the stages that may want the data of a result. */
  readonly #mayWantData: readonly number[];
  /** The kinds of calls, by client and tool. */
  readonly #kinds = new Map<string, CallKind>();
  /** The one asked for last: a gate asks several times about one call. */
  #last: { readonly id: string; readonly name: string; readonly kind: CallKind } | undefined;

  constructor(stages: readonly GateStage[]) {
    this.stages = stages;
    this.#mayWantData = stages.flatMap((stage, index) => (stage.wantsData ? [index] : []));
  }

  /**
   * Undefined, without a turn of the loop, where no stage has anything to wait for: the call is made as it came.
   * @throws InputNeeded to be let through
   */
  admit(request: CallRequest): Promise<Admission> | undefined {
    const kind = this.#kindOf(request);
    const now = performance.now();
    // An iterator would cost each call more than its stages at rest.
    for (let index = 0; index < this.stages.length; index += 1) {
      const stage = this.stages[index];
      if (stage === undefined || (kind !== undefined && isAtRest(kind, index, now))) continue;
      const checking = stage.check(request, () => this.#isLast(request, index));
      if (checking !== undefined) return this.#admitAfter(request, checking, index);
      if (kind !== undefined) kind.rests[index] = stage.restFor?.(request);
    }
    return undefined;
  }

  /** Whether a stage wants the data of the result of this call. */
  readonly wantsData = (request: CallRequest): boolean =>
    this.#mayWantData.some(
      (index) => !this.isAtRest(request, index) && this.stages[index]?.wantsData?.(request),
    );

  /** Whether the stage at `index` has nothing to do for this call just now. */
  isAtRest(request: CallRequest, index: number): boolean {
    const kind = this.#kindOf(request);
    return kind !== undefined && isAtRest(kind, index);
  }

  #noteRest(request: CallRequest, index: number): void {
    const kind = this.#kindOf(request);
    if (kind !== undefined) kind.rests[index] = this.stages[index]?.restFor?.(request);
  }

  /** Undefined for a call that every stage checks: one that is cancelled, cannot be made, or searches for tools. */
  #kindOf({ client, name, target, cancellation }: CallRequest): CallKind | undefined {
    if (cancellation.isCancelled || name.length > keptNameCharsMax) return undefined;
    if (target !== undefined && target.kind !== "tool") return undefined;
    const hasRoots = client.roots !== undefined;
    const last = this.#last;
    if (last?.id === client.id && last.name === name && isOf(last.kind, hasRoots, target))
      return last.kind;
    // With its length: no other client's id and name make the same text.
    const key = `${client.id.length} ${client.id}${name}`;
    let kind = this.#kinds.get(key);
    if (kind === undefined || !isOf(kind, hasRoots, target)) {
      if (this.#kinds.size >= callKindsMax) this.#kinds.clear();
      kind = { target, hasRoots, rests: this.stages.map(() => undefined) };
      this.#kinds.set(key, kind);
    }
    this.#last = { id: client.id, name, kind };
    return kind;
  }

  /** @param index of the stage that is being waited for */
  async #admitAfter(
    asked: CallRequest,
    checking: Promise<Refusal | Amendment | undefined>,
    index: number,
  ): Promise<Admission> {
    let admission = await this.#amended(asked, await checking, index);
    for (const [next, stage] of this.stages.entries()) {
      if (next <= index) continue;
      const { request, refusal } = admission;
      if (refusal !== undefined) break;
      // Asked again: while an earlier stage waited the call may have been cancelled, or a rest ended.
      if (this.isAtRest(request, next)) continue;
      const checked = await stage.check(request, () => this.#isLast(request, next));
      if (checked === undefined) this.#noteRest(request, next);
      else admission = await this.#amended(request, checked, next);
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
    for (const stage of request === asked ? [] : this.stages.slice(0, index)) {
      const again = await stage.check(request, notLast);
      if (again !== undefined && "decision" in again) return { request, refusal: again };
    }
    const refusal = await confirm?.(request);
    return refusal === undefined ? { request } : { request, refusal };
  }

  #isLast(request: CallRequest, index: number): boolean {
    return this.stages.every(
      (stage, at) =>
        at <= index || this.isAtRest(request, at) || stage.mayObject?.(request) === false,
    );
  }
}

const notLast = (): boolean => false;

function isOf(kind: CallKind, hasRoots: boolean, target: ToolTarget | undefined): boolean {
  return kind.hasRoots === hasRoots && isSameTarget(kind.target, target);
}

/** Rights are compared by identity: each snapshot of the servers has new objects, and so ends all rests. */
function isSameTarget(one: ToolTarget | undefined, other: ToolTarget | undefined): boolean {
  return (
    one?.rights === other?.rights &&
    one?.isReadOnly === other?.isReadOnly &&
    one?.server === other?.server &&
    one?.tool === other?.tool
  );
}

function isAtRest({ rests }: CallKind, index: number, now = performance.now()): boolean {
  const rest = rests[index];
  return rest !== undefined && now < rest.until;
}

function withArguments(request: CallRequest, args: Params): CallRequest {
  const { name, target } = request;
  return resolvedCall(request, { name, args, ...(target === undefined ? {} : { target }) });
}
