import { product } from "../../base/product.ts";
import type { CallRequest, ToolTarget } from "../call.ts";
import type { GateStage, Refusal } from "../gate/gate-stage.ts";

/** The plan mode of the call's workspace, when it is on. */
export type ActivePlanOf = (call: CallRequest) => Promise<object | undefined>;

/**
 * While a plan is being made nothing is to change, and nobody holds another server's hands: only those of its tools are
 * called that only read, by the definition that was approved, or that the user lets be called.
 */
export class PlanStage implements GateStage {
  readonly #activePlan: ActivePlanOf;

  constructor(activePlan: ActivePlanOf) {
    this.#activePlan = activePlan;
  }

  /** Looks for a plan only where one would matter. */
  check(call: CallRequest): Promise<Refusal | undefined> | undefined {
    const { target } = call;
    if (target?.kind !== "tool" || mayBeCalled(target)) return undefined;
    return this.#checkPlan(call, target);
  }

  async #checkPlan(call: CallRequest, target: ToolTarget): Promise<Refusal | undefined> {
    if ((await this.#activePlan(call)) === undefined) return undefined;
    return { decision: "denied", text: refusalText(call.name, target) };
  }
}

function mayBeCalled({ isReadOnly, rights }: ToolTarget): boolean {
  return isReadOnly === true || rights.policy === "allow";
}

function refusalText(name: string, { server }: ToolTarget): string {
  return (
    `${name} was not called: plan mode is active, and its approved definition does not say that it only reads. ` +
    "Go on with tools that read, or end plan mode: PlanMode with action exit. " +
    "There are two ways to have it called while a plan is made, both of them the user's: " +
    `the server marks it with readOnlyHint: true and that definition is approved (${product.name} mcp approve ${server}), ` +
    `or the user's own entry of the server ${server} says policy = "allow".`
  );
}
