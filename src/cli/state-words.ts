import { product } from "../base/product.ts";
import type { HookRow } from "../calls/policy/hooks/read-hooks.ts";
import type { InventoryTool } from "../upstream/catalogue/tool-inventory.ts";
import { isComing, type ServerInfo, type ServerState } from "../upstream/server-state.ts";
import { exitCodes } from "./command-io.ts";
import type { Mark } from "./look.ts";

/** Whether an entry may be used. `user`: it comes from a file that only the user can have written, and needs no approval. */
export type TrustState = "user" | "approved" | "denied" | "pending";

/** A state for people: its word, and the mark in front of it. JSON keeps the ids. */
export interface StateWord {
  readonly word: string;
  readonly mark: Mark;
}

/** The states of an MCP server. */
export const serverStates: Readonly<Record<ServerState, StateWord>> = {
  disabled: { word: "disabled", mark: "off" },
  untrusted: { word: "needs approval", mark: "attention" },
  needs_config: { word: "needs config", mark: "attention" },
  needs_auth: { word: "needs login", mark: "attention" },
  cached: { word: "cached", mark: "good" },
  installing: { word: "installing", mark: "attention" },
  starting: { word: "starting", mark: "attention" },
  ready: { word: "ready", mark: "good" },
  degraded: { word: "degraded", mark: "attention" },
  backoff: { word: "retrying", mark: "attention" },
  failed: { word: "failed", mark: "bad" },
  stopped: { word: "stopped", mark: "off" },
};

/** The states of an approval: of a server, a tool, a prompt or the instructions. */
export const approvalStates: Readonly<
  Record<TrustState | InventoryTool["state"] | "new", StateWord>
> = {
  user: { word: "approved", mark: "good" },
  approved: { word: "approved", mark: "good" },
  pending: { word: "needs approval", mark: "attention" },
  new: { word: "needs approval", mark: "attention" },
  changed: { word: "changed", mark: "attention" },
  denied: { word: "denied", mark: "off" },
};

/** The states of a hook. */
export const hookStates: Readonly<Record<HookRow["state"], StateWord>> = {
  ready: { word: "ready", mark: "good" },
  "not approved": { word: "needs approval", mark: "attention" },
  changed: { word: "changed", mark: "attention" },
  disabled: { word: "disabled", mark: "off" },
  refused: { word: "refused", mark: "bad" },
};

/** The word for the state of a server. */
export function serverWord({ state }: Pick<ServerInfo, "state">): string {
  return serverStates[state].word;
}

/** Why the tools of a server are not all there, and what to do; undefined when they are. Several lines. */
export function notReadyText(info: ServerInfo): string | undefined {
  const { name, state, reason } = info;
  if (state === "ready" || state === "cached" || state === "disabled") return undefined;
  const why = reason === null ? "" : ` ${readable(reason)}`;
  const isFailed = state === "backoff" || state === "failed" || isComing(state);
  const test = isFailed ? ` (more: ${product.name} mcp test ${name})` : "";
  return `${serverWord(info)}${test}.${why}`;
}

/** The exit code of a command that needed this server. */
export function stateCode({ state }: ServerInfo): number {
  if (state === "untrusted" || state === "needs_auth") return exitCodes.needsApproval;
  const isThere = state === "ready" || state === "cached" || state === "disabled";
  return isThere || state === "degraded" ? exitCodes.done : exitCodes.unreachable;
}

/** A reason may hold lines that a server wrote: they are marked, so that none looks like our own text. */
export function readable(reason: string): string {
  return reason.replaceAll(/\r\n?|\n/g, "\n  | ");
}
