import type { Params } from "../../protocol/json-rpc.ts";
import type { CallRequest } from "../call.ts";
import { resolvedCall } from "../resolved-call.ts";
import type { Amendment, GateStage, Refusal } from "./gate-stage.ts";

/** What is to be called, or why nothing is. */
export interface Admission {
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
