import { messageOf } from "../base/errors.ts";
import type { CallRequest } from "../gateway/call.ts";
import type { Plans } from "./plan.ts";

/**
 * Tells which plan holds for a call. A store that can be read in no way is said once and counts as none:
 * commands run all the same, as they do without a ledger.
 */
export function activePlanOf(
  plans: Pick<Plans, "lookFor" | "service">,
  warn: (message: string) => void,
): (call: CallRequest) => Promise<{ readonly planFile: string } | undefined> {
  let isReported = false;
  return async (call) => {
    const sight = await plans.lookFor(call.client);
    if (sight.kind === "seen") return sight.plan ?? undefined;
    try {
      // The store can wait for another process, and sets a damaged file aside.
      const { state } = await plans.service.status(call);
      return state.active && state.planFile !== null ? { planFile: state.planFile } : undefined;
    } catch (error) {
      if (!isReported) warn(`Whether plan mode is on cannot be read: ${messageOf(error)}.`);
      isReported = true;
      return undefined;
    }
  };
}
