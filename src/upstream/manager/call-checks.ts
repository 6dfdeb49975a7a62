import type { RawTool } from "../connect/connection.ts";
import type { UpstreamCall } from "../upstreams.ts";
import { failed, type Failed } from "./call-failure.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";

/** The faults of a call's arguments against the tool's schema, and what to do; undefined when they match (CA1). */
export function argumentsFault(
  { name, offer }: ManagedServer,
  tool: string,
  args: unknown,
  checks: ManagerParts["checks"],
): Fault | Promise<Fault> {
  const judged = offer.tool(tool);
  if (judged === undefined) return undefined;
  const fault = checks.check(judged.item.inputSchema, args ?? {});
  return fault instanceof Promise
    ? fault.then((found) => argumentsText(name, judged.item, found))
    : argumentsText(name, judged.item, fault);
}

type Fault = string | undefined;

function argumentsText(server: string, tool: RawTool, fault: Fault): Fault {
  if (fault === undefined) return undefined;
  const { properties } = tool.inputSchema;
  const names = Object.keys(
    typeof properties === "object" && properties !== null ? properties : {},
  );
  const known = names.length === 0 ? "none" : names.slice(0, namesShownMax).join(", ");
  return `The arguments for ${tool.name} of the server ${server} do not match its schema: ${fault}. It takes: ${known}.`;
}

/** Argument names shown in a fault; `tool_search` shows all. */
const namesShownMax = 30;

export function absentFailure(name: string): Failed {
  return failed("unreachable", `No MCP server named ${name} is configured any more.`);
}

/** The reason why a configured server cannot be called at all; undefined when it can. */
export function permissionFailure({ name, permission }: ManagedServer): Failed | undefined {
  if (permission === undefined) {
    return failed(
      "unreachable",
      `The values that the server ${name} needs are still being looked up. Try again.`,
    );
  }
  if (permission.kind === "usable") return undefined;
  if (permission.kind !== "disabled") return failed(permission.kind, permission.text);
  return failed(
    "unreachable",
    `The server ${name} is switched off in the configuration (enabled = false).`,
  );
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
