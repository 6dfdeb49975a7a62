import { upstreamInstallAgainMs } from "../../base/upstream-limits.ts";
import type { Installing } from "../server-state.ts";

/** What goes on, for a model: with how long it has taken, and when to come back. */
export function installingText(installing: Installing): string {
  return `${installingFact(installing)} Try again in ${upstreamInstallAgainMs / 1000} s.`;
}

/** The same for people. */
export function installingFact({ what, runner, since }: Installing): string {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  return `${what} is being installed with ${runner} (${seconds} s so far).`;
}

/** How fetching what a server is started from went. */
export type InstallOutcome =
  | {
      readonly kind: "installed";
      /** False: it was there. */
      readonly isNew: boolean;
      /** How it will be started, where that is not the command of its entry. */
      readonly startedAs?: string;
    }
  | { readonly kind: "failed"; readonly reason: string };
