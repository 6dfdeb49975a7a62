import { cutEnd } from "../../base/cut-text.ts";
import {
  upstreamRawCharsShown,
  upstreamTitleCharsMax,
  upstreamToolCharsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { appExtension, type ClientCapabilities } from "../../protocol/client-capabilities.ts";
import {
  argumentAt,
  encodeHeaderValue,
  type ParamHeader,
  paramHeadersOf,
} from "../../protocol/headers.ts";
import { errorCodes, type Params, type ProtocolFault } from "../../protocol/json-rpc.ts";
import {
  isLegacyVersion,
  isModernVersion,
  legacyVersionLatest,
  metaKeys,
  metaOf,
  modernVersions,
} from "../../protocol/message.ts";
import {
  ConnectionError,
  type ConnectOptions,
  type ServerCatalogue,
  type RawTool,
} from "./connection.ts";
import type { Peer, PeerRequest } from "./peer.ts";
import type { PeerReply } from "./read-reply.ts";

/** A server's description of itself at the first contact. */
export type Greeting = Pick<
  ServerCatalogue,
  "era" | "protocolVersion" | "serverInfo" | "capabilities" | "instructions" | "isPrivate"
>;

type Patience = Pick<PeerRequest, "signal" | "timeoutMs" | "onId">;

/** Sends the first message of the legacy handshake. @throws ConnectionError */
export function askInitialize(
  peer: Peer,
  options: ConnectOptions,
  patience: Patience,
): Promise<PeerReply> {
  const params = {
    protocolVersion: legacyVersionLatest,
    capabilities: handshakeCapabilities(options),
    clientInfo: options.product,
  };
  return peer.request({ method: "initialize", params, ...patience });
}

/** Completes the handshake. @throws ConnectionError for an invalid result */
export async function acceptInitialize(peer: Peer, result: unknown): Promise<Greeting> {
  const greeting = readInitializeResult(result);
  peer.transport.setVersion(greeting.protocolVersion);
  await peer.notify("notifications/initialized");
  return greeting;
}

/** Sends `server/discover`, as a request of the one modern revision. @throws ConnectionError */
export function discover(
  peer: Peer,
  { product, apps }: ConnectOptions,
  patience: Patience,
): Promise<PeerReply> {
  const params = withEnvelope({}, modernVersions[0], appExtension(apps), product);
  return peer.request({ method: "server/discover", params, ...patience });
}

/** Undefined unless it is the answer of a modern server with a supported revision. */
export function readDiscoverResult(result: unknown): Greeting | undefined {
  if (!isObject(result) || !Array.isArray(result.supportedVersions)) return undefined;
  const version = result.supportedVersions.find(isModernVersion);
  if (version === undefined || !isObject(result.capabilities)) return undefined;
  const { cacheScope, capabilities } = result;
  const serverInfo = readServerInfo(metaOf(result)?.[metaKeys.serverInfo]);
  return {
    era: "modern",
    protocolVersion: version,
    capabilities,
    isPrivate: cacheScope === "private",
    ...(serverInfo ? { serverInfo } : {}),
    ...instructionsOf(result),
  };
}

/** -32022 with a revision that scorpiox-code also supports: the request is to be repeated. */
export function offersModern({ code, data }: ProtocolFault): boolean {
  return code === errorCodes.unsupportedProtocolVersion && namesModern(data);
}

/** True for a modern server that refuses the legacy handshake and names its revisions. */
export function namesModern(data: unknown): boolean {
  return isObject(data) && Array.isArray(data.supported) && data.supported.some(isModernVersion);
}

/** True for errors that only a modern server sends. */
export function isModernFault({ code }: ProtocolFault): boolean {
  return code === errorCodes.headerMismatch || code === errorCodes.missingClientCapability;
}

/** The error for a server that cannot be understood: its message quotes the beginning of the answer (CN12). */
export function cannotSpeak(what: string, said: unknown): ConnectionError {
  const raw = (JSON.stringify(said) ?? "nothing").slice(0, upstreamRawCharsShown);
  return new ConnectionError("protocol", `${what} It said: ${raw}`);
}

function readInitializeResult(result: unknown): Greeting {
  if (!isObject(result))
    throw cannotSpeak("The server did not answer `initialize` with an object.", result);
  const { protocolVersion: version, capabilities } = result;
  if (!isLegacyVersion(version)) {
    throw cannotSpeak(
      "The server wants a protocol revision that scorpiox-code does not support.",
      result,
    );
  }
  const serverInfo = readServerInfo(result.serverInfo);
  return {
    era: "legacy",
    protocolVersion: version,
    capabilities: isObject(capabilities) ? capabilities : {},
    isPrivate: false,
    ...(serverInfo ? { serverInfo } : {}),
    ...instructionsOf(result),
  };
}

function instructionsOf({ instructions }: Params): { readonly instructions?: string } {
  if (typeof instructions !== "string" || instructions === "") return {};
  return { instructions: cutEnd(instructions, upstreamToolCharsMax) };
}

function readServerInfo(info: unknown): Greeting["serverInfo"] {
  if (!isObject(info) || typeof info.name !== "string") return undefined;
  const bounded = (text: unknown): string =>
    typeof text === "string" ? cutEnd(text, upstreamTitleCharsMax) : "";
  const { title } = info;
  const said = { name: bounded(info.name), version: bounded(info.version) };
  return typeof title === "string" ? { ...said, title: bounded(title) } : said;
}

// A modern server has no session: each request carries what a legacy server learns once, in the handshake.

type Asking = Pick<ConnectOptions, "mayAsk" | "roots">;

/**
 * The capabilities in the handshake with a legacy server: all that any client may have, since there is only one
 * handshake.
 */
function handshakeCapabilities({
  mayAsk,
  roots,
  apps,
}: Asking & Pick<ConnectOptions, "apps">): Params {
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
    ...(client.apps === undefined ? {} : appExtension(client.apps)),
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
