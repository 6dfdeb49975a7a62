import { policyWorkMax } from "../../../base/limits.ts";

/** There are more rules, or longer ones, than can be held against one call. */
export class TooMuchWork extends Error {}

/** What has been done for one call, in units of about ten nanoseconds: a project's rules come from outside. */
export class RuleWork {
  #left = policyWorkMax;

  /** @throws TooMuchWork */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new TooMuchWork();
  }
}
