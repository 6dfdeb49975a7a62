import { setTimeout as sleep } from "node:timers/promises";
import { type Abortable, signalOf } from "../../base/cancellation.ts";
import { formatDuration } from "../../base/cut-text.ts";
import { product } from "../../base/product.ts";
import {
  upstreamBusyRetriesMax,
  upstreamLoginSeenMs,
  upstreamRetryAfterMsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import { ConnectionError, type ConnectionReply } from "../connect/connection.ts";
import { UnusableAnswer } from "../results/clean-result.ts";
import type {
  FailureReason,
  UpstreamCall,
  UpstreamReply,
  UpstreamCallEvents,
} from "../upstreams.ts";
import { ConnectionDown } from "./connection-parts.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { loginWanted, LoginWanted, logInPrincipal } from "./principal-login.ts";
import { loginAdvice } from "../status/server-info.ts";
import type { ServerOffer } from "./server-offer.ts";

/** A failed call. */
export type Failed = Extract<UpstreamReply, { kind: "failed" }>;

export function failed(reason: FailureReason, text: string): Failed {
  return { kind: "failed", reason, text };
}

/** The reply for a call that has failed with `error`. */
export function callFailureOf(
  error: unknown,
  server: ManagedServer,
  call: UpstreamCall,
  tookMs: number,
): Failed {
  if (error instanceof UnusableAnswer) return failed(error.reason, error.message);
  if (error instanceof ConnectionDown) return downFailure(server, error);
  if (error instanceof ConnectionError) return requestFailure(server, call, error, tookMs);
  if (error instanceof LoginWanted) return failed("needs_auth", error.message);
  const said = error instanceof Error ? error.message : String(error);
  return failed(
    "worker",
    `The call of ${subjectOf(call)} of the server ${server.name} failed: ${said}`,
  );
}

/** The failure of a call without a connection. */
function downFailure({ name, configured }: ManagedServer, down: ConnectionDown): Failed {
  const retry =
    down.retryInMs === undefined ? "" : ` It is tried again in ${formatDuration(down.retryInMs)}.`;
  const text = `The server ${name} cannot be reached: ${sentence(down.message)}${retry}`;
  switch (down.as) {
    case "needs_auth":
      return failed("needs_auth", loginText(configured, sentence(down.message)));
    case "installing":
      return failed("backoff", `The MCP server ${name} cannot be called yet: ${down.message}`);
    case "backoff":
      return failed("backoff", text);
    case "failed":
    case "stopped":
      return failed("unreachable", `${text} See what is wrong: ${product.name} mcp test ${name}.`);
  }
}

/** The tool, resource or prompt, for messages. */
function subjectOf({ method, params: { name, uri } }: UpstreamCall): string {
  const what = [name, uri].find((part) => typeof part === "string");
  return typeof what === "string" ? what.slice(0, 200) : method;
}

/** The failure of a request. */
function requestFailure(
  { name, configured }: ManagedServer,
  call: UpstreamCall,
  error: ConnectionError,
  tookMs: number,
): Failed {
  const what = subjectOf(call);
  const said = sentence(error.message);
  switch (error.failure) {
    case "timeout":
      return failed(
        "timeout",
        `The server ${name} did not answer ${what} within ${formatDuration(tookMs)}, and the call was cancelled: ${said} Ask for less at a time, or raise timeout_ms or idle_ms of the server.`,
      );
    case "lost":
      return failed(
        "connection_lost",
        `The connection to the server ${name} was lost during ${what}: ${said} It may have run or not. The server is being restarted; check before you repeat it.`,
      );
    case "needs_auth":
      return failed("needs_auth", loginText(configured, said));
    case "busy":
      return failed("unreachable", `The server ${name} is busy: ${said} Try again later.`);
    case "too_large":
      return failed(
        "too_large",
        `The answer of the server ${name} to ${what} is too long: ${said} Ask for less at a time.`,
      );
    case "protocol":
      return failed("malformed", `The server ${name} gave an invalid answer to ${what}: ${said}`);
    case "cancelled":
    case "refused":
    case "unreachable":
      return failed("unreachable", `The server ${name} could not be asked for ${what}: ${said}`);
  }
}

export function circuitFailure(name: string, waitMs: number): Failed {
  return failed(
    "circuit_open",
    `The last calls to the server ${name} all took too long, so calls to it fail at once for ${formatDuration(waitMs)}. Try again then.`,
  );
}

function loginText(configured: ConfiguredServer, said: string): string {
  const { name, options } = configured.entry;
  const advice = loginAdvice(configured);
  if (options.oauth?.perUser !== undefined)
    return `There is no login to the server ${name}: ${said}`;
  return options.oauth?.service === undefined
    ? `The server ${name} wants a login, which only the user can do. ${advice}`
    : `There is no login to the server ${name}: ${said} ${advice}`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** A call whose first request has failed. */
interface FailedCall {
  readonly server: ManagedServer;
  readonly call: UpstreamCall;
  readonly events: UpstreamCallEvents;
  readonly parts: ManagerParts;
  readonly signal: Abortable;
  /** Sends the request once more. */
  readonly request: () => Promise<ConnectionReply>;
  /** The rest of the call's time. */
  readonly leftMs: () => number;
}

/** Repeats a request that has failed with `first`, after a login where one is wanted. @throws the last failure */
export async function requestAgain(
  first: unknown,
  failedCall: FailedCall,
): Promise<ConnectionReply> {
  try {
    return await repeated(first, failedCall);
  } catch (error) {
    const { signal, request } = failedCall;
    if (!wantsLogin(error) || signal.aborted || !(await logInDuringCall(failedCall))) throw error;
    return request()
      .catch((failure: unknown) => repeated(failure, failedCall))
      .catch((failure: unknown) => refusedAgain(failure, failedCall));
  }
}

/** A login that the server does not accept either: the principal may have another account. @throws the failure */
async function refusedAgain(failure: unknown, { server, call }: FailedCall): Promise<never> {
  const target = server.main?.target;
  const isLogin = wantsLogin(failure) && target !== undefined;
  throw (isLogin ? await loginWanted(target, call.owner) : undefined) ?? failure;
}

/** Repeats a request after a lost connection, where that does no harm, and later when the server is busy. */
async function repeated(
  first: unknown,
  { server, call, signal, request, leftMs }: FailedCall,
): Promise<ConnectionReply> {
  let replays = mayReplay(call, server.offer) ? 1 : 0;
  for (let [error, waits] = [first, 0]; ;) {
    if (!(error instanceof ConnectionError) || signal.aborted) throw error;
    const { failure, retryAfterMs } = error;
    if (failure === "lost" && replays > 0) replays--;
    else if (
      failure === "busy" &&
      retryAfterMs !== undefined &&
      waits < upstreamBusyRetriesMax &&
      retryAfterMs < leftMs()
    ) {
      waits++;
      await sleep(Math.min(retryAfterMs, upstreamRetryAfterMsMax), undefined, {
        signal: signalOf(signal),
      });
    } else throw error;
    try {
      return await request();
    } catch (next) {
      error = next;
    }
  }
}

/**
 * Whether a call may be repeated when its connection was lost before the answer: reads may, and tools that declare that
 * a repetition does no harm.
 */
function mayReplay(call: UpstreamCall, offer: ServerOffer): boolean {
  if (call.method !== "tools/call") return true;
  // Answers of the user are for one attempt.
  if (call.inputResponses !== undefined) return false;
  const annotations = offer.tool(String(call.params.name))?.item.annotations;
  if (!isObject(annotations)) return false;
  return annotations.readOnlyHint === true || annotations.idempotentHint === true;
}

const lookMs = 20;

/** Whether a call failed because a login is missing. */
function wantsLogin(error: unknown): boolean {
  if (error instanceof ConnectionDown) return error.as === "needs_auth";
  return error instanceof ConnectionError && error.failure === "needs_auth";
}

/**
 * Asks the user of a call to log in, where their client can show the address. True when there is a login now and the
 * server's connections use it.
 * @throws LoginWanted for a principal who has not logged in
 */
async function logInDuringCall({
  server,
  call,
  events,
  parts: { askToLogIn },
  signal,
}: FailedCall): Promise<boolean> {
  const target = server.main?.target;
  if (target === undefined) return false;
  const outcome = await logInPrincipal(target, call, events, signal);
  if (outcome !== undefined) {
    if (outcome !== true && !signal.aborted) throw outcome;
    return !signal.aborted;
  }
  if (askToLogIn === undefined || !call.capabilities.elicitationUrl) return false;
  const { launch, configured } = target;
  if (launch.transport !== "http" || !target.takesLogin) return false;
  const ask: typeof events.ask = (request) => events.ask(request);
  if (!(await askToLogIn(configured, launch.url, ask, signalOf(signal)))) return false;
  // Connections of the earlier login end as soon as the new one is noticed; the call must not use one of them.
  const deadline = performance.now() + upstreamLoginSeenMs;
  while (server.main?.target === target && performance.now() < deadline) await sleep(lookMs);
  return !signal.aborted;
}
