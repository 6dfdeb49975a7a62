import { appExtension, type ClientCapabilities } from "../../protocol/client-capabilities.ts";
import { metaKeys, metaOf } from "../../protocol/envelope.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { ConnectOptions } from "./connection.ts";

type Asking = Pick<ConnectOptions, "mayAsk" | "roots">;
type Greeting = Asking & Pick<ConnectOptions, "apps">;

/** What a legacy server is told in the handshake: all that any client may be asked for, since it is told once only. */
export function handshakeCapabilities({ mayAsk, roots, apps }: Greeting): Params {
  return {
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
    ...(mayAsk.elicitation ? { elicitation: { form: {}, url: {} } } : {}),
    ...(mayAsk.sampling ? { sampling: { tools: {} } } : {}),
    ...appExtension(apps),
  };
}

/** What a modern server is told with one request: what the client of this call has, and this server may use. */
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

/** Of two that may both name extensions. */
export function joinCapabilities(some: Params, more: Params): Params {
  const { extensions } = some;
  if (!isObject(extensions) || !isObject(more.extensions)) return { ...some, ...more };
  return { ...some, ...more, extensions: { ...extensions, ...more.extensions } };
}

/** `params` with the envelope that every modern request carries. Other members of `_meta` stay. */
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
