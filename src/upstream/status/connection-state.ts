import type { Installing } from "../server-state.ts";

/** The state of one connection. Times are on the clock of the arguments `now`. */
export type ConnectionState =
  /** Not wanted so far, or stopped because it was idle. */
  | { readonly kind: "idle" }
  | {
      readonly kind: "starting";
      /** Its package is being fetched. */
      readonly installing?: Installing;
    }
  | { readonly kind: "ready" }
  /** It failed. `retryAt` undefined: only a call tries it again. */
  | {
      readonly kind: "down";
      readonly as: "backoff" | "failed" | "needs_auth";
      readonly reason: string;
      readonly retryAt: number | undefined;
      /** It has not failed: another hub runs its server. */
      readonly isHeld?: true;
    }
  /** Nobody uses it any more. */
  | { readonly kind: "stopped" };
