import { callKindsMax } from "../../base/limits.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { resolvedCall } from "../call-target.ts";
import type { CallRequest, ToolTarget } from "../call.ts";
import type { Amendment, GateStage, Refusal, Rest } from "./gate-stage.ts";

/** The call to make, or the refusal. */
interface Admission {
  readonly request: CallRequest;
  readonly refusal?: Refusal;
}

/** Calls that every stage treats alike until a rest ends. */
interface CallKind {
  readonly target: ToolTarget | undefined;
  readonly hasRoots: boolean;
  /** By the place of the stage. */
  readonly rests: (Rest | undefined)[];
}

/** No tool has a longer name; calls of longer names are not kept. */
const keptNameCharsMax = 200;

/** Takes calls through the stages, one after the other; a stage at rest is not entered. */
export class Admissions {
  readonly stages: readonly GateStage[];
  /** By client and tool. */
  readonly #kinds = new Map<string, CallKind>();
  /** The one asked for last: a gate asks several times about one call. */
  #last: { readonly id: string; readonly name: string; readonly kind: CallKind } | undefined;

  constructor(stages: readonly GateStage[]) {
    this.stages = stages;
  }

  /**
   * Undefined, without a turn of the loop, where no stage has anything to wait for: the call is made as it came.
   * @throws InputNeeded to be let through
   */
  admit(request: CallRequest): Promise<Admission> | undefined {
    const kind = this.#kindOf(request);
    const now = performance.now();
    for (const [index, stage] of this.stages.entries()) {
      if (kind !== undefined && isAtRest(kind, index, now)) continue;
      const checking = stage.check(request, () => this.#isLast(request, index));
      if (checking !== undefined) return this.#admitAfter(request, checking, index);
      if (kind !== undefined) kind.rests[index] = stage.restFor?.(request);
    }
    return undefined;
  }

  /** Whether a stage wants the data of the result of this call. */
  readonly wantsData = (request: CallRequest): boolean =>
    this.stages.some(
      (stage, index) =>
        stage.wantsData !== undefined && !this.isAtRest(request, index) && stage.wantsData(request),
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
