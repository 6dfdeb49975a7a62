import { AppError } from "../../base/errors.ts";
import { encodeCallToolResult } from "../../protocol/call-result-codec.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import type { CallOutcome, CallRequest, Router, TaskSupport } from "../call.ts";
import { appendNotes } from "./append-notes.ts";
import type { CallEnd, CallWatcher, GateStage, NoteSource, Refusal } from "./gate-stage.ts";

export interface GateParts {
  readonly router: Router;
  /** In their order: rules first, then hooks. */
  readonly stages: readonly GateStage[];
  /** In the order in which their lines are shown. */
  readonly notes: readonly NoteSource[];
  readonly watchers: readonly CallWatcher[];
  /** Says which tool is meant by a name that is none of ours, before anything looks at the call. */
  readonly resolve?: (call: CallRequest) => CallRequest | Promise<CallRequest>;
}

/**
 * The one way to a tool: whatever is called, ours or another server's, passes the stages, is watched, and has
 * the notes of the time added to its result.
 */
export class GatedRouter implements Router {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  list(): readonly ToolListing[] {
    return this.#parts.router.list();
  }

  taskSupport(toolName: string): TaskSupport {
    return this.#parts.router.taskSupport?.(toolName) ?? "none";
  }

  get isOpen(): boolean {
    return this.#parts.router.isOpen === true;
  }

  async call(asked: CallRequest): Promise<CallOutcome> {
    const { watchers, resolve } = this.#parts;
    const begunAt = performance.now();
    const resolved = resolve?.(asked) ?? asked;
    const request = resolved instanceof Promise ? await resolved : resolved;
    for (const watcher of watchers) watcher.began?.(request);
    let end: Omit<CallEnd, "durationMs"> = { decision: "allowed" };
    try {
      const refusal = await this.#refusalOf(request);
      if (refusal !== undefined) {
        end = { decision: refusal.decision };
        return this.#withNotes(request, refused(request, refusal));
      }
      const made = await this.#parts.router.call(request, performance.now() - begunAt);
      if (isInvalid(made)) {
        end = { decision: "invalid" };
        return this.#withNotes(request, made);
      }
      const outcome = await this.#lookedAt(request, made);
      end = { decision: "allowed", outcome: outcome.kind, ...charsOf(outcome) };
      return this.#withNotes(request, outcome);
    } catch (error) {
      if (!isEndOf(request, error)) throw error;
      end = { decision: "allowed", outcome: "cancelled" };
      return { kind: "cancelled" };
    } finally {
      const durationMs = performance.now() - begunAt;
      for (const watcher of watchers) watcher.ended?.(request, { ...end, durationMs });
    }
  }

  /** The outcome with what stages have to say of it. */
  #lookedAt(request: CallRequest, outcome: CallOutcome): CallOutcome | Promise<CallOutcome> {
    const looking = this.#parts.stages.flatMap((stage) => stage.after?.(request, outcome) ?? []);
    if (looking.length === 0 || outcome.kind !== "result") return outcome;
    return Promise.all(looking).then((lines) => {
      const said = lines.flat();
      if (said.length === 0) return outcome;
      return { ...outcome, json: appendNotes(outcome.json, said) };
    });
  }

  /** Undefined without a turn of the loop when no stage has anything to wait for. */
  #refusalOf(request: CallRequest): Promise<Refusal | undefined> | undefined {
    const { stages } = this.#parts;
    for (const [index, stage] of stages.entries()) {
      const checking = stage.check(request, () => this.#isLast(request, index));
      if (checking !== undefined) return this.#refusalAfter(request, checking, index + 1);
    }
    return undefined;
  }

  async #refusalAfter(
    request: CallRequest,
    checking: Promise<Refusal | undefined>,
    next: number,
  ): Promise<Refusal | undefined> {
    const refusal = await checking;
    if (refusal !== undefined) return refusal;
    const { stages } = this.#parts;
    for (const [index, stage] of stages.entries()) {
      if (index < next) continue;
      const later = await stage.check(request, () => this.#isLast(request, index));
      if (later !== undefined) return later;
    }
    return undefined;
  }

  #isLast(request: CallRequest, index: number): boolean {
    return this.#parts.stages.every(
      (stage, at) => at <= index || stage.mayObject?.(request) === false,
    );
  }

  #withNotes(request: CallRequest, outcome: CallOutcome): CallOutcome {
    if (outcome.kind !== "result" || request.cancellation.isCancelled) return outcome;
    let { json } = outcome;
    for (const source of this.#parts.notes) {
      const lines = source.notesFor(request);
      if (lines.length === 0) continue;
      json = appendNotes(json, lines);
      source.delivered(request, lines);
    }
    return { ...outcome, json };
  }
}

/** The call was looked at by whoever it is for, and not made. */
function isInvalid(outcome: CallOutcome): boolean {
  return "refusal" in outcome && outcome.refusal === "invalid";
}

/** Whoever was waited for was told that nobody waits any more. */
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
