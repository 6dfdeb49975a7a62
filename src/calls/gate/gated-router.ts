import { AppError } from "../../base/errors.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { encodeCallToolResult } from "../../protocol/result-codec.ts";
import { InputNeeded } from "../ask-client.ts";
import type { CallOutcome, CallRequest, Router } from "../call.ts";
import type { Admissions } from "./admissions.ts";
import type { CallEnd, CallWatcher, ResultChange, NoteSource, Refusal } from "./gate-stage.ts";
import { withLinesAbout, withWaitingLines } from "./result-lines.ts";

export interface GateParts {
  /** Makes the calls of our own tools. */
  readonly router: Pick<Router, "call">;
  /** Makes those that have a target. Absent: `router` makes them too. */
  readonly foreign?: Pick<Router, "call">;
  /** In their order: rules first, then hooks. */
  readonly stages: Admissions;
  /** In the order in which their lines are shown. */
  readonly notes: readonly NoteSource[];
  readonly watchers: readonly CallWatcher[];
  /** The names of our own tools. */
  readonly ownNames?: { has(toolName: string): boolean };
  /** Resolves a name that is not of an own tool, before any stage sees the call. */
  readonly resolve?: (call: CallRequest) => CallRequest | Promise<CallRequest>;
}

/**
 * The one way to a tool: every call, of an own or an upstream tool, passes the stages, is watched, and has
 * the waiting notes added to its result.
 */
export class GatedRouter implements Pick<Router, "call"> {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  async call(asked: CallRequest): Promise<CallOutcome> {
    const { stages } = this.#parts;
    const begunAt = performance.now();
    const resolved = this.#resolved(asked);
    let request = resolved instanceof Promise ? await resolved : resolved;
    this.#tellBegun(request);
    // As long as the stages have not let it through it is not allowed, however it ends.
    let end: Omit<CallEnd, "durationMs"> = { decision: "pending" };
    try {
      // Mostly there is nothing to wait for, and an await costs a turn even so.
      const admitting = stages.admit(request);
      const admission = admitting === undefined ? undefined : await admitting;
      if (admission !== undefined) request = admission.request;
      if (admission?.refusal !== undefined) {
        end = { decision: admission.refusal.decision };
        return this.#withNotes(request, refused(request, admission.refusal));
      }
      end = { decision: "allowed" };
      const made = await this.#make(request, begunAt);
      if (isInvalid(made)) {
        end = { decision: "invalid" };
        return this.#withNotes(request, made);
      }
      const looked = isInterim(made) ? made : this.#lookedAt(request, made, begunAt);
      const outcome = looked instanceof Promise ? await looked : looked;
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
    const { ownNames, resolve } = this.#parts;
    return ownNames?.has(asked.name) === true ? asked : (resolve?.(asked) ?? asked);
  }

  #tellBegun(request: CallRequest): void {
    for (const watcher of this.#parts.watchers) watcher.began?.(request);
  }

  #tellEnded(request: CallRequest, end: CallEnd): void {
    for (const watcher of this.#parts.watchers) {
      if (watcher.calls?.has(request) !== false) watcher.ended?.(request, end);
    }
  }

  /** A call that is answered before it ends is looked at when it does. */
  #make(request: CallRequest, begunAt: number): Promise<CallOutcome> {
    const { router, foreign = router } = this.#parts;
    const look = async (outcome: CallOutcome): Promise<CallOutcome> =>
      this.#lookedAt(request, outcome, undefined);
    const maker = request.target === undefined ? router : foreign;
    return maker.call(request, performance.now() - begunAt, look);
  }

  /**
   * The outcome with the changes of the stages, one after the other.
   * @param begunAt undefined when no client waits for it
   */
  #lookedAt(
    request: CallRequest,
    outcome: CallOutcome,
    begunAt: number | undefined,
    from = 0,
  ): CallOutcome | Promise<CallOutcome> {
    const { stages } = this.#parts;
    for (const [index, stage] of stages.stages.entries()) {
      if (index < from || stage.after === undefined || stages.isAtRest(request, index)) continue;
      const looking = stage.after(request, outcome, leftMs(request, begunAt));
      if (looking === undefined) continue;
      return looking.then((look) =>
        this.#lookedAt(request, withLook(request, outcome, look), begunAt, index + 1),
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
