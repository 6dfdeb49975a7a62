import { oneLine } from "../../../base/cut-text.ts";
import { searchReasonCharsMax, upstreamInstallAgainMs } from "../../../base/upstream-limits.ts";
import type { ServerInfo, ServerState } from "../../server-state.ts";

/** A server whose tools cannot be offered now. */
export interface Unavailable {
  readonly server: string;
  readonly state: ServerState;
  readonly reason: string;
  /** Seconds until it is tried again; absent when that is not planned. */
  readonly retry_in?: number;
}

/** States in which the tools of a server are known; a disabled one is nobody's concern. */
const quietStates: ReadonlySet<ServerState> = new Set(["ready", "cached", "degraded", "disabled"]);

/** What to say of a server that gives no reason of its own. */
const usualReasons: Partial<Readonly<Record<ServerState, string>>> = {
  untrusted: "not approved by the user",
  starting: "still connecting; search again in a few seconds",
  needs_config: "a variable that its entry names is not set",
  needs_auth: "needs a login",
  stopped: "was stopped",
};

/** Servers that a search could not look into, in the order in which they are given. */
export function unavailableServers(servers: readonly ServerInfo[]): readonly Unavailable[] {
  return servers
    .filter(({ state }) => !quietStates.has(state))
    .map(({ name, state, reason, installing, retryInMs }) => {
      const againMs = installing === undefined ? retryInMs : upstreamInstallAgainMs;
      return {
        server: name,
        state,
        reason: oneLine(reason ?? usualReasons[state] ?? "cannot be reached", searchReasonCharsMax),
        ...(againMs === null ? {} : { retry_in: Math.ceil(againMs / 1000) }),
      };
    });
}
