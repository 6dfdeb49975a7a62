import { product } from "../../base/product.ts";
import { isObject } from "../../base/values.ts";
import type { AuthMethod, ServerMetadata } from "./discover.ts";
import { OauthError, refusal, shown } from "./oauth-reach.ts";
import type { OauthRequests } from "./oauth-requests.ts";

/** scorpiox-code's client at an authorization server. */
export interface OauthClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod: AuthMethod;
  /** Makes a proof for one request, for clients that authenticate so. Not stored. */
  readonly assertion?: () => Promise<string>;
  /** Present after dynamic registration; where to delete it (RFC 7592). */
  readonly registration?: { readonly uri?: string; readonly token?: string };
}

/** The client that the entry and the command line ask for. */
export interface WantedClient {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The address of a document about this client, for servers that accept it as an id. */
  readonly metadataUrl?: string;
}

/** A client that an earlier login registered, with its redirect address. */
export interface KnownClient extends OauthClient {
  readonly redirectUri: string;
}

/** A program on the user's machine, or a server that the browser returns to (OpenID Connect registration). */
export type ClientKind = "native" | "web";

/** Where the browser returns to. */
export interface ReturnAddress {
  readonly redirectUri: string;
  readonly kind: ClientKind;
}

/**
 * Chooses in the order of OA2: the configured client, a metadata document, an earlier registration, a new one.
 * @throws AppError `refused`, OauthError, OauthUnreachable
 */
export async function chooseClient(
  wanted: WantedClient,
  known: KnownClient | undefined,
  address: ReturnAddress,
  metadata: ServerMetadata,
  requests: OauthRequests,
): Promise<OauthClient> {
  const { redirectUri, kind } = address;
  const { clientId, clientSecret, metadataUrl } = wanted;
  if (clientId !== undefined) {
    const authMethod = methodOf(metadata, clientSecret);
    return { clientId, authMethod, ...(clientSecret === undefined ? {} : { clientSecret }) };
  }
  if (metadataUrl !== undefined && metadata.takesClientDocuments) {
    return { clientId: metadataUrl, authMethod: "none" };
  }
  if (known?.redirectUri === redirectUri) return known;
  if (metadata.registrationEndpoint === undefined) {
    throw refusal(
      `The authorization server ${shown(metadata.issuer)} has no dynamic registration. Register a client there with the redirect address ${kind === "native" ? "http://127.0.0.1/callback" : redirectUri} and write its id into the entry: oauth = { client_id = "…" }.`,
    );
  }
  return register(metadata.registrationEndpoint, address, metadata, requests);
}

async function register(
  endpoint: string,
  { redirectUri, kind }: ReturnAddress,
  metadata: ServerMetadata,
  requests: OauthRequests,
): Promise<OauthClient> {
  const { authMethods } = metadata;
  const isPublic = authMethods === undefined || authMethods.includes("none");
  const asked = isPublic ? "none" : methodOf(metadata, "");
  const about = {
    client_name: product.title,
    application_type: kind,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: asked,
  };
  const reply = await requests.post(endpoint, about, {}, "The registration of clients");
  const body = reply.body ?? {};
  if (reply.status >= 300 || typeof body.client_id !== "string" || body.client_id === "") {
    throw errorOf(reply.status, body);
  }
  const clientSecret = typeof body.client_secret === "string" ? body.client_secret : undefined;
  const { registration_client_uri: uri, registration_access_token: token } = body;
  return {
    clientId: body.client_id,
    authMethod:
      given(body.token_endpoint_auth_method) ??
      (clientSecret === undefined ? "none" : isPublic ? "none" : asked),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    registration: {
      ...(typeof uri === "string" ? { uri } : {}),
      ...(typeof token === "string" ? { token } : {}),
    },
  };
}

/** The error in a refusal. @param who the sender, for the message */
export function errorOf(status: number, body: unknown, who?: string): OauthError {
  const { error, error_description: description } = isObject(body) ? body : {};
  return new OauthError(
    typeof error === "string" ? error : `http_${status}`,
    typeof description === "string" ? description : "",
    who,
  );
}

function given(method: unknown): AuthMethod | undefined {
  return methods.find((each) => each === method);
}

const methods: readonly AuthMethod[] = ["none", "client_secret_basic", "client_secret_post"];

/** How a client shows its secret: by default it goes into the header, as the standard says. */
export function methodOf({ authMethods }: ServerMetadata, secret: string | undefined): AuthMethod {
  if (secret === undefined) return "none";
  const isPostOnly =
    authMethods?.includes("client_secret_post") === true &&
    !authMethods.includes("client_secret_basic");
  return isPostOnly ? "client_secret_post" : "client_secret_basic";
}
