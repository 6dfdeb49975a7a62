import { formatDuration } from "../../base/cut-text.ts";
import { product } from "../../base/product.ts";
import { isObject } from "../../base/values.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ConnectionError, RawTool } from "../connect/connection.ts";
import type { SchemaChecks } from "../schema/schema-checks.ts";
import type { FailureReason, UpstreamCall, UpstreamReply } from "../upstreams.ts";
import type { ConnectionDown } from "./connection-down.ts";
import { loginAdvice } from "./login-advice.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ServerOffer } from "./server-offer.ts";

/** A failed call. */
export type Failed = Extract<UpstreamReply, { kind: "failed" }>;

export function failed(reason: FailureReason, text: string): Failed {
  return { kind: "failed", reason, text };
}

/** The reason why a configured server cannot be called at all; undefined when it can. */
export function permissionFailure({
  name,
  permission,
  isStopped,
}: ManagedServer): Failed | undefined {
  if (permission === undefined) {
    return failed(
      "unreachable",
      `The values that the server ${name} needs are still being looked up. Try again.`,
    );
  }
  if (permission.kind === "usable") {
    if (!isStopped) return undefined;
    return failed(
      "unreachable",
      `The server ${name} was stopped. Start it: ${product.name} mcp test ${name}.`,
    );
  }
  if (permission.kind !== "disabled") return failed(permission.kind, permission.text);
  return failed(
    "unreachable",
    `The server ${name} is switched off in the configuration (enabled = false).`,
  );
}

/** The failure of a call without a connection. */
export function downFailure({ name, configured }: ManagedServer, down: ConnectionDown): Failed {
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
export function subjectOf({ method, params: { name, uri } }: UpstreamCall): string {
  const what = [name, uri].find((part) => typeof part === "string");
  return typeof what === "string" ? what.slice(0, 200) : method;
}

/** The failure of a request. */
export function requestFailure(
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
  return options.oauth?.service === undefined
    ? `The server ${name} wants a login, which only the user can do. ${advice}`
    : `There is no login to the server ${name}: ${said} ${advice}`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

type Fault = string | undefined;

/** The faults of a call's arguments against the tool's schema, and what to do; undefined when they match (CA1). */
export function argumentsFault(
  server: string,
  tool: RawTool,
  args: unknown,
  checks: SchemaChecks,
): Fault | Promise<Fault> {
  const fault = checks.check(tool.inputSchema, args ?? {});
  return fault instanceof Promise
    ? fault.then((found) => argumentsText(server, tool, found))
    : argumentsText(server, tool, fault);
}

function argumentsText(server: string, tool: RawTool, fault: Fault): Fault {
  if (fault === undefined) return undefined;
  const { properties } = tool.inputSchema;
  const names = Object.keys(
    typeof properties === "object" && properties !== null ? properties : {},
  );
  const known = names.length === 0 ? "none" : names.slice(0, namesShownMax).join(", ");
  return `The arguments for ${tool.name} of the server ${server} do not match its schema: ${fault}. It takes: ${known}.`;
}

/** The same for a call that is about to be made; undefined for other methods and unknown tools. */
export function callFault(
  server: Pick<ManagedServer, "name" | "offer">,
  { method, params }: UpstreamCall,
  checks: SchemaChecks,
): Fault | Promise<Fault> {
  if (method !== "tools/call" || typeof params.name !== "string") return undefined;
  const judged = server.offer.tool(params.name);
  if (judged === undefined) return undefined;
  return argumentsFault(server.name, judged.item, params.arguments, checks);
}

/** Argument names shown in a fault; `tool_search` shows all. */
const namesShownMax = 30;

/** The definition of a called tool or prompt has changed since it was approved. The message is for the caller. */
export class BlockedCall extends Error {
  override readonly name = "BlockedCall";
}

/**
 * The refusal of a call to an unapproved tool or prompt, for every caller (TR3). Undefined when the call is allowed.
 */
export function blockedFailure(server: ManagedServer, call: UpstreamCall): Failed | undefined {
  if (!needsApproval(call)) return undefined;
  const { method, params } = call;
  const name = typeof params.name === "string" ? params.name : "";
  const called = method === "tools/call" ? server.offer.tool(name) : server.offer.prompt(name);
  const isFree = called === undefined || called.state === "approved";
  return isFree ? undefined : failed("blocked", called.text);
}

/** Whether a call of this method needs an approval. */
export function needsApproval({ method }: UpstreamCall): boolean {
  return method === "tools/call" || method === "prompts/get";
}

/**
 * Whether a call may be repeated when its connection was lost before the answer: reads may, and tools that declare that
 * a repetition does no harm.
 */
export function mayReplay(call: UpstreamCall, offer: ServerOffer): boolean {
  if (call.method !== "tools/call") return true;
  // Answers of the user are for one attempt.
  if (call.inputResponses !== undefined) return false;
  const annotations = offer.tool(String(call.params.name))?.item.annotations;
  if (!isObject(annotations)) return false;
  return annotations.readOnlyHint === true || annotations.idempotentHint === true;
}
