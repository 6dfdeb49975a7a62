import { appExtension, type ClientCapabilities } from "../../protocol/client-capabilities.ts";
import {
  argumentAt,
  encodeHeaderValue,
  type ParamHeader,
  paramHeadersOf,
} from "../../protocol/headers.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { metaKeys, metaOf } from "../../protocol/message.ts";
import type { ConnectOptions, RawTool } from "./connection.ts";

type Asking = Pick<ConnectOptions, "mayAsk" | "roots">;
type Greeting = Asking & Pick<ConnectOptions, "apps">;

/**
 * The capabilities in the handshake with a legacy server: all that any client may have, since there is only one
 * handshake.
 */
export function handshakeCapabilities({ mayAsk, roots, apps }: Greeting): Params {
  return {
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
    ...(mayAsk.elicitation ? { elicitation: { form: {}, url: {} } } : {}),
    ...(mayAsk.sampling ? { sampling: { tools: {} } } : {}),
    ...appExtension(apps),
  };
}

/** The capabilities in one request to a modern server: those of the client of this call that this server may use. */
export function requestCapabilities(client: ClientCapabilities, { mayAsk, roots }: Asking): Params {
  const elicitation = {
    ...(client.elicitationForm ? { form: {} } : {}),
    ...(client.elicitationUrl ? { url: {} } : {}),
  };
  const hasElicitation = client.elicitationForm || client.elicitationUrl;
  return {
    ...(roots !== undefined && client.roots ? { roots: {} } : {}),
    ...(mayAsk.elicitation && hasElicitation ? { elicitation } : {}),
    ...(mayAsk.sampling && client.sampling
      ? { sampling: client.samplingTools ? { tools: {} } : {} }
      : {}),
    ...appExtension(client.apps),
  };
}

/** Joins two sets of capabilities that may both name extensions. */
export function joinCapabilities(some: Params, more: Params): Params {
  const { extensions } = some;
  if (!isObject(extensions) || !isObject(more.extensions)) return { ...some, ...more };
  return { ...some, ...more, extensions: { ...extensions, ...more.extensions } };
}

/** `params` with the envelope of every modern request. Other members of `_meta` stay. */
export function withEnvelope(
  params: Params,
  version: string,
  capabilities: Params,
  product: ConnectOptions["product"],
  logLevel?: string,
): Params {
  const meta = {
    ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
    ...metaOf(params),
    [metaKeys.protocolVersion]: version,
    [metaKeys.clientInfo]: product,
    [metaKeys.clientCapabilities]: capabilities,
  };
  return { ...params, _meta: meta };
}

/**
 * The arguments of a server's tools that are also sent as headers, over HTTP in the modern revisions (`x-mcp-header`).
 */
export class CallHeaders {
  readonly #byTool = new Map<string, readonly ParamHeader[]>();

  /** Learns the usable tools; `problems` names those whose annotations break a rule. */
  learn(tools: readonly RawTool[]): {
    readonly tools: readonly RawTool[];
    readonly problems: string[];
  } {
    this.#byTool.clear();
    const problems: string[] = [];
    const usable = tools.filter(({ name, inputSchema }) => {
      const reading = paramHeadersOf(inputSchema);
      if (reading.kind === "headers") this.#byTool.set(name, reading.headers);
      else
        problems.push(
          `Tool ${JSON.stringify(name)} cannot be called over HTTP: ${reading.reason}.`,
        );
      return reading.kind === "headers";
    });
    return { tools: usable, problems };
  }

  /** The headers of one call; absent and null arguments have none. */
  of({ name, arguments: args }: Params): Readonly<Record<string, string>> {
    const headers: [string, string][] = [];
    for (const header of this.#byTool.get(String(name)) ?? []) {
      const text = textOf(argumentAt(args, header.path));
      if (text !== undefined) headers.push([header.name, encodeHeaderValue(text)]);
    }
    return Object.fromEntries(headers);
  }
}

/** A number beyond 2^53 has been rounded: two different numbers could look the same. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number" && Math.abs(value) >= 2 ** 53) return undefined;
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}
