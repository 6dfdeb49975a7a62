import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import {
  createFault,
  errorCodes,
  type Params,
  type ProtocolFault,
} from "../../protocol/json-rpc.ts";
import type { ServerRights, UpstreamSnapshot } from "../../upstream/snapshot.ts";
import type { UpstreamCall } from "../../upstream/upstreams.ts";
import { FaultError, InputNeeded } from "../ask-client.ts";
import { resolvedCall } from "../resolved-call.ts";
import type { CallRequest, RequestContext } from "../call.ts";
import type { ToolTarget } from "../call-target.ts";
import type { CallEnd } from "../gate/gate-stage.ts";
import { shownElicitation } from "./asked-things.ts";
import { Exchange, type ExchangeEnd, type ExchangeParts } from "./exchange.ts";

/**
 * Sends a request that is not a tool call to an upstream server.
 * @returns its result
 * @throws FaultError with that server's error, or when it cannot be reached; InputNeeded to be let through
 */
export async function askForeign(
  parts: ExchangeParts,
  snapshot: UpstreamSnapshot,
  { server, method, params }: Pick<UpstreamCall, "server" | "method" | "params">,
  context: RequestContext,
): Promise<Params> {
  const rights = snapshot.rights.find(({ name }) => name === server);
  if (rights === undefined)
    throw internalFault(`The MCP server ${server} is no longer configured.`);
  const { passedMeta, client, observed } = context;
  if (observed !== undefined) observed.server = server;
  const meta = passedMeta === undefined ? {} : { _meta: passedMeta };
  const { resultCharsMax } = client.limits;
  const target = targetOf(server, method, rights);
  const call = resolvedCall(context, { name: method, args: params, target });
  const spec = { server, method, params: { ...params, ...meta }, rights, resultCharsMax };
  const end = await watched(parts, call, () => Exchange.of(parts, spec, call).run());
  switch (end.kind) {
    case "fault":
      throw new FaultError(foreignFault(server, end.fault));
    case "failed":
      throw internalFault(end.text);
    case "result":
      return parsed(end.json.json, server);
  }
}

/** The subject of the request is in the digest of the parameters. */
function targetOf(server: string, method: string, rights: ServerRights): ToolTarget {
  return { kind: "tool", server, tool: method, rights, hasOutputSchema: false };
}

/** Reports every request: none goes to an upstream server without a line in the audit log. */
async function watched(
  { watchers }: ExchangeParts,
  call: CallRequest,
  work: () => Promise<ExchangeEnd>,
): Promise<ExchangeEnd> {
  const begunAt = performance.now();
  let end: Pick<CallEnd, "outcome" | "resultChars"> = {};
  try {
    const ended = await work();
    if (ended.kind === "result") end = { outcome: "result", resultChars: ended.json.json.length };
    if (ended.kind === "fault") end = { outcome: "fault" };
    return ended;
  } catch (error) {
    if (error instanceof InputNeeded) end = { outcome: "input-required" };
    else if (call.cancellation.isCancelled) end = { outcome: "cancelled" };
    throw error;
  } finally {
    const durationMs = performance.now() - begunAt;
    for (const watcher of watchers)
      watcher.ended?.(call, { decision: "allowed", durationMs, ...end });
  }
}

function parsed(json: string, server: string): Params {
  const result: unknown = JSON.parse(json);
  if (isObject(result)) return result;
  throw new AppError("system", `${server} gave a result that is not an object.`);
}

function internalFault(text: string): FaultError {
  return new FaultError(createFault(errorCodes.internalError, text));
}

/** The error code of revision 2025-11-25: a page has to be opened before the call can be made. */
const urlElicitationRequired = -32042;

/** Errors about the connection on which they arrive; passed on, they would be about the client's. */
const aboutConnections: ReadonlySet<number> = new Set([
  errorCodes.parseError,
  errorCodes.invalidRequest,
  errorCodes.methodNotFound,
  errorCodes.headerMismatch,
  errorCodes.missingClientCapability,
  errorCodes.unsupportedProtocolVersion,
  urlElicitationRequired,
]);

/** The error of an upstream server as an own one, so that clients do not take an error about its connection for one about theirs. */
export function foreignFault(server: string, fault: ProtocolFault): ProtocolFault {
  const { code, message } = fault;
  if (Number.isSafeInteger(code) && !aboutConnections.has(code)) return fault;
  return createFault(
    errorCodes.internalError,
    `${server} answered with the error ${code}: ${message}`,
  );
}

/** Pages that a server wants the user to open before it performs the request; undefined for other errors. */
export function pagesWanted(server: string, { code, data }: ProtocolFault): string | undefined {
  const pages: unknown = isObject(data) ? data.elicitations : undefined;
  if (code !== urlElicitationRequired || !Array.isArray(pages)) return undefined;
  const lines = pages.slice(0, pagesShownMax).flatMap((page: unknown) => {
    if (!isObject(page) || page.mode !== "url") return [];
    const shown = shownElicitation(server, { params: page });
    if (shown.kind === "refused" || shown.request.params.mode !== "url") return [];
    return [shown.request.params.message, shown.request.params.url];
  });
  if (lines.length === 0) return undefined;
  return [...lines, "The user can open it; then call the tool again."].join("\n");
}

const pagesShownMax = 5;
