import { setTimeout as sleep } from "node:timers/promises";
import { upstreamLoginSeenMs } from "../../base/upstream-limits.ts";
import { ConnectionError } from "../connect/connection.ts";
import type { UpstreamCall, UpstreamCallEvents } from "../upstreams.ts";
import { ConnectionDown } from "./connection-down.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";

const lookMs = 20;

/** Whether a call failed because a login is missing. */
export function wantsLogin(error: unknown): boolean {
  if (error instanceof ConnectionDown) return error.as === "needs_auth";
  return error instanceof ConnectionError && error.failure === "needs_auth";
}

/**
 * Asks the user of a call to log in, where their client can show the address. True when there is a login now and the
 * server's connections use it.
 */
export async function logInDuringCall(
  server: ManagedServer,
  { capabilities }: UpstreamCall,
  events: UpstreamCallEvents,
  { askToLogIn, clock }: ManagerParts,
  signal: AbortSignal,
): Promise<boolean> {
  const target = server.links?.target;
  if (askToLogIn === undefined || target === undefined || !capabilities.elicitationUrl)
    return false;
  const { launch, configured } = target;
  if (launch.transport !== "http" || !target.takesLogin) return false;
  const ask: typeof events.ask = (request) => events.ask(request);
  if (!(await askToLogIn(configured, launch.url, ask, signal))) return false;
  // Connections of the earlier login end as soon as the new one is noticed; the call must not use one of them.
  const deadline = clock() + upstreamLoginSeenMs;
  while (server.links?.target === target && clock() < deadline) await sleep(lookMs);
  return !signal.aborted;
}
