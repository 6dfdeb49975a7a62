import { upstreamInstallAgainMs } from "../../base/upstream-limits.ts";
import type { Installing } from "../server-state.ts";

/** The progress of an installation for a model: the time so far, and when to try again. */
export function installingText(installing: Installing): string {
  return `${installingFact(installing)} Try again in ${upstreamInstallAgainMs / 1000} s.`;
}

/** The same for people. */
export function installingFact({ what, runner, since }: Installing): string {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  return `${what} is being installed with ${runner} (${seconds} s so far).`;
}

/** The result of fetching a server's package. */
export type InstallOutcome =
  | {
      readonly kind: "installed";
      /** False: it was on this machine already. */
      readonly isNew: boolean;
      /** The command line that will start it, where it differs from the entry's. */
      readonly startedAs?: string;
    }
  | { readonly kind: "failed"; readonly reason: string };
