import { product } from "../base/product.ts";
import { isComing, type ServerInfo } from "../upstream/server-state.ts";
import { exitCodes } from "./command-io.ts";

/** Why the tools of a server are not all there, and what to do; undefined when they are. Several lines. */
export function standingText({ name, state, reason }: ServerInfo): string | undefined {
  if (state === "ready" || state === "cached" || state === "disabled") return undefined;
  const why = reason === null ? "" : ` ${readable(reason)}`;
  const isFailed = state === "backoff" || state === "failed" || isComing(state);
  const test = isFailed ? ` (more: ${product.name} mcp test ${name})` : "";
  return `${state.replace("_", " ")}${test}.${why}`;
}

/** The exit code of a command that needed this server. */
export function standingCode({ state }: ServerInfo): number {
  if (state === "untrusted" || state === "needs_auth") return exitCodes.needsApproval;
  const isThere = state === "ready" || state === "cached" || state === "disabled";
  return isThere || state === "degraded" ? exitCodes.done : exitCodes.unreachable;
}

/** A reason may hold lines that a server wrote: they are marked, so that none looks like our own text. */
export function readable(reason: string): string {
  return reason.replaceAll(/\r\n?|\n/g, "\n  | ");
}
