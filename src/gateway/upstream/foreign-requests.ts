import { AppError } from "../../base/errors.ts";
import { createFault, errorCodes, isObject, type Params } from "../../protocol/json-rpc.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";
import type { UpstreamCall } from "../../upstream/upstreams.ts";
import { FaultError } from "../ask-client.ts";
import type { RequestContext } from "../call.ts";
import { Exchange, type ExchangeParts } from "./exchange.ts";
import { foreignFault } from "./foreign-fault.ts";
import { resolvedCall } from "./resolved-call.ts";

/**
 * Puts a request that is no tool call to another server.
 * @returns its result
 * @throws FaultError with that server's error, or when it could not be asked; InputNeeded to be let through
 */
export async function askForeign(
  parts: ExchangeParts,
  snapshot: UpstreamSnapshot,
  { server, method, params }: Pick<UpstreamCall, "server" | "method" | "params">,
  context: RequestContext,
): Promise<Params> {
  const rights = snapshot.rights.find(({ name }) => name === server);
  if (rights === undefined) throw internalFault(`There is no MCP server ${server} any more.`);
  const { passedMeta, client } = context;
  const meta = passedMeta === undefined ? {} : { _meta: passedMeta };
  const { resultCharsMax } = client.limits;
  const call = resolvedCall(context, { name: `${server} ${method}`, args: {} });
  const spec = { server, method, params: { ...params, ...meta }, rights, resultCharsMax };
  const end = await Exchange.of(parts, spec, call).run();
  switch (end.kind) {
    case "fault":
      throw new FaultError(foreignFault(server, end.fault));
    case "failed":
      throw internalFault(end.text);
    case "result":
      return parsed(end.json.json, server);
  }
}

function parsed(json: string, server: string): Params {
  const result: unknown = JSON.parse(json);
  if (isObject(result)) return result;
  throw new AppError("system", `${server} gave a result that is no object.`);
}

function internalFault(text: string): FaultError {
  return new FaultError(createFault(errorCodes.internalError, text));
}
