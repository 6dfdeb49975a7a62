import type { RuleAction } from "./rule.ts";

/** What is to be done with a call, and why. */
export interface Verdict {
  readonly action: RuleAction;
  /** The rule that decided; undefined when none did. */
  readonly rule: string | undefined;
  /** For people and models, one clause without a capital; undefined when there is nothing to say. */
  readonly reason: string | undefined;
}

export const allowed: Verdict = { action: "allow", rule: undefined, reason: undefined };

const order: readonly RuleAction[] = ["allow", "ask", "deny"];

/** The strictest; of equals the first. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  let found = allowed;
  for (const verdict of verdicts) {
    const isStricter = order.indexOf(verdict.action) > order.indexOf(found.action);
    // Of allowing ones, one that names its rule says more.
    if (
      isStricter ||
      (verdict.action === found.action && found.rule === undefined && verdict.rule !== undefined)
    )
      found = verdict;
  }
  return found;
}
