import { formatDuration } from "../../base/amount-text.ts";
import { product } from "../../base/product.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ConnectionError } from "../connect/connection.ts";
import type { FailureReason, UpstreamReply } from "../upstreams.ts";
import type { ConnectionDown } from "./connection-down.ts";
import { loginAdvice } from "./login-advice.ts";
import type { ManagedServer } from "./managed-server.ts";

/** A call that came to nothing. */
export type Failed = Extract<UpstreamReply, { kind: "failed" }>;

export function failed(reason: FailureReason, text: string): Failed {
  return { kind: "failed", reason, text };
}

/** Why a server that is configured cannot be called at all; undefined when it can. */
export function standingFailure({ name, standing, isStopped }: ManagedServer): Failed | undefined {
  if (standing === undefined) {
    return failed(
      "unreachable",
      `What the server ${name} needs is still being looked up. Try again.`,
    );
  }
  if (standing.kind === "usable") {
    if (!isStopped) return undefined;
    return failed(
      "unreachable",
      `The server ${name} was stopped. Start it: ${product.name} mcp test ${name}.`,
    );
  }
  if (standing.kind !== "disabled") return failed(standing.kind, standing.text);
  return failed(
    "unreachable",
    `The server ${name} is switched off in the configuration (enabled = false).`,
  );
}

/** There is no connection. */
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

/** A request did not end as it should. `what` is the tool, resource or prompt. */
export function requestFailure(
  { name, configured }: ManagedServer,
  what: string,
  error: ConnectionError,
  tookMs: number,
): Failed {
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
        `The connection to the server ${name} was lost during ${what}: ${said} Whether it was carried out is not known. The server is started again; look before you repeat it.`,
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
      return failed(
        "malformed",
        `The server ${name} answered ${what} with something that is no answer: ${said}`,
      );
    case "cancelled":
    case "refused":
    case "unreachable":
      return failed("unreachable", `The server ${name} could not be asked for ${what}: ${said}`);
  }
}

export function circuitFailure(name: string, waitMs: number): Failed {
  return failed(
    "circuit_open",
    `The last calls to the server ${name} all took too long, so that it is left alone for ${formatDuration(waitMs)}. Try again then.`,
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
