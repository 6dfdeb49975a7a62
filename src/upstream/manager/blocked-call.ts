import type { UpstreamCall } from "../upstreams.ts";
import { type Failed, failed } from "./call-failure.ts";
import type { ManagedServer } from "./managed-server.ts";

/** Its server has said in the meantime that what is called is not what was approved. The message is for who called. */
export class BlockedCall extends Error {
  override readonly name = "BlockedCall";
}

/** TR3: what is not approved cannot be called, whoever asks. Undefined when it may be. */
export function blockedFailure(server: ManagedServer, call: UpstreamCall): Failed | undefined {
  if (!needsApproval(call)) return undefined;
  const { method, params } = call;
  const name = typeof params.name === "string" ? params.name : "";
  const called = method === "tools/call" ? server.offer.tool(name) : server.offer.prompt(name);
  const isFree = called === undefined || called.state === "approved";
  return isFree ? undefined : failed("blocked", called.text);
}

/** Whether there are approvals for what is asked for. */
export function needsApproval({ method }: UpstreamCall): boolean {
  return method === "tools/call" || method === "prompts/get";
}
