import { deferredTokensMin, deferredToolsMin } from "../../base/upstream-limits.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";

export interface DeferralParts {
  /** Of this process: `--defer`, or the default for the client's name (DF3). */
  readonly mode: "auto" | "on" | "off";
  /** All callable tools of upstream servers, hidden or not. */
  readonly tools: Iterable<{ readonly listing: ToolListing }>;
  /** The tools of an enabled server are not known yet, not even from an earlier run (DF2a). */
  readonly hasUnknownServer: boolean;
  /** `isSettled` and `isDeferred` of an earlier decision since the last change of configuration (DF2). */
  readonly wasDeferred: boolean;
}

export interface DeferralDecision {
  /** Most tools are hidden, and found by `tool_search`. */
  readonly isDeferred: boolean;
  /** False while a server is not known yet; the decision is made again when it is. */
  readonly isSettled: boolean;
}

/**
 * Whether the tools of upstream servers are hidden until they are searched for. A settled decision to hide them holds
 * until the configuration changes or the process ends: the list must not flap around the threshold.
 */
export function decideDeferral(parts: DeferralParts): DeferralDecision {
  if (parts.mode !== "auto") return { isDeferred: parts.mode === "on", isSettled: true };
  if (parts.wasDeferred || isLarge(parts.tools)) return { isDeferred: true, isSettled: true };
  return { isDeferred: parts.hasUnknownServer, isSettled: !parts.hasUnknownServer };
}

function isLarge(tools: DeferralParts["tools"]): boolean {
  let count = 0;
  let tokens = 0;
  for (const { listing } of tools) {
    count++;
    tokens += estimateTokens(listing);
    if (count > deferredToolsMin || tokens > deferredTokensMin) return true;
  }
  return false;
}

/** About how many tokens a definition costs a model: a quarter of the characters of its compact JSON (DF1). */
export function estimateTokens(listing: ToolListing): number {
  return Math.ceil(JSON.stringify(listing).length / 4);
}
