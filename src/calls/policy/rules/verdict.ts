import { cautionRule, gravityOf } from "./cautions.ts";
import type { RuleAction } from "./rule.ts";

/** One thing that decides about a call. */
export interface Cause {
  readonly action: RuleAction;
  /** The rule that decided; undefined when none did. */
  readonly rule: string | undefined;
  /** For people and models, one clause without a capital; undefined when there is nothing to say. */
  readonly reason: string | undefined;
}

/** What is to be done with a call, and why: by the worst cause. */
export interface Verdict extends Cause {
  /** What else forbids it or has it asked about, the worst first. */
  readonly others?: readonly Cause[];
}

export const allowed: Verdict = { action: "allow", rule: undefined, reason: undefined };

const order: readonly RuleAction[] = ["allow", "ask", "deny"];

/** The strictest, with what the others object beside it; of equals the first. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  // Nearly every call is allowed.
  const objects = verdicts.some(({ action }) => action !== "allow");
  const [worst, ...others] = objects ? objectionsIn(verdicts) : [];
  if (worst !== undefined) return others.length === 0 ? worst : { ...worst, others };
  // Of allowing ones, one that names its rule says more.
  return verdicts.find(({ rule }) => rule !== undefined) ?? verdicts[0] ?? allowed;
}

/** All causes of a verdict, the worst first. */
export function causesOf({ others = [], ...worst }: Verdict): readonly Cause[] {
  return [worst, ...others];
}

/** Each once. What is forbidden comes first, then what cannot be undone, then the rest in its order. */
function objectionsIn(verdicts: readonly Verdict[]): readonly Cause[] {
  const objecting = verdicts.filter(({ action }) => action !== "allow");
  if (objecting.length < 2) return objecting.flatMap(causesOf);
  const each = new Map(
    objecting
      .flatMap(causesOf)
      .map((cause) => [JSON.stringify([cause.action, cause.rule, cause.reason]), cause]),
  );
  return [...each.values()].sort(
    (a, b) => order.indexOf(b.action) - order.indexOf(a.action) || gravity(b) - gravity(a),
  );
}

function gravity({ rule, reason = "" }: Cause): number {
  return rule === cautionRule ? gravityOf(reason) : 0;
}
