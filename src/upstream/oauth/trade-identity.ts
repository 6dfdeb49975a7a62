import type { IdpOptions, TradeOptions } from "../config/server-entry.ts";
import type { ServiceClient } from "../config/service-client.ts";
import { assertIssuer, discover, joinScopes, type ServerMetadata } from "./discover.ts";
import { type LoginPlace, refusal, shown } from "./oauth-reach.ts";
import type { OauthRequests } from "./oauth-requests.ts";
import { methodOfProof, provingClient, requestIdentityGrant } from "./service-grant.ts";
import { exchangeToken, grantTokens, tokenTypes, type Tokens } from "./token-endpoint.ts";

/** How the identity of a principal is traded, as an entry describes it. */
export interface TradeWish {
  readonly place: LoginPlace;
  readonly grant: TradeOptions["grant"];
  /** Expands the client, and with `enterprise` its other one at the identity provider. @throws NeedsConfig */
  readonly client: () => Promise<TradeClient>;
  /** Pinned scopes; no others are requested. */
  readonly scopes?: readonly string[];
  /** The only authorization server that gets anything. */
  readonly issuer: string;
}

interface TradeClient {
  readonly client: ServiceClient;
  readonly idp?: Omit<IdpOptions, "idToken">;
}

const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
const assertionGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/**
 * Trades the token with which a principal has come for one of an upstream server: at its authorization server (RFC 8693),
 * or by the company's identity provider for a grant that the authorization server takes (draft-ietf-oauth-identity-assertion-authz-grant-04).
 * @param identity the principal's signed token @param scope that the server has demanded
 * @param clock milliseconds since 1970
 * @throws AppError `refused`, OauthError, OauthUnreachable, NeedsConfig
 */
export async function tradeIdentity(
  wish: TradeWish,
  identity: string,
  scope: string | undefined,
  requests: OauthRequests,
  clock: () => number,
): Promise<Tokens> {
  const known = scope === undefined ? {} : { scope };
  const { metadata, resource, scope: named } = await discover(wish.place.url, known, requests);
  // It comes first: whoever gets the token of the principal could use it.
  assertIssuer(metadata, wish.issuer);
  const { issuer, tokenEndpoint } = metadata;
  assertGrant(metadata, wish.grant === "enterprise" ? assertionGrant : exchangeGrant);
  const { client, idp } = await wish.client();
  const all = wish.scopes === undefined ? named : joinScopes(...wish.scopes);
  const source = { tokenEndpoint, resource, ...(all === undefined ? {} : { scope: all }) };
  const authMethod = methodOfProof(client.proof, metadata);
  const proving = provingClient(
    { issuer, client: { clientId: client.clientId, authMethod } },
    client,
    clock,
  );
  const subject = { token: identity, type: tokenTypes.access };
  const tokens =
    idp === undefined
      ? await exchangeToken(source, proving, subject, requests, clock)
      : await grantTokens(
          source,
          proving,
          await requestIdentityGrant({ ...source, issuer }, idp, subject, requests),
          requests,
          clock,
        );
  if (tokens.accessToken !== identity) return tokens;
  throw refusal(
    "The authorization server returned the token of the client, which no MCP server may get.",
  );
}

/** Only where the authorization server says so is it sent the identity of a person. @throws AppError `refused` */
function assertGrant({ issuer, grantTypes }: ServerMetadata, grant: string): void {
  if (grantTypes?.includes(grant) === true) return;
  throw refusal(
    `The authorization server ${shown(issuer)} does not announce ${grant} (grant_types_supported), so the identity of the user is not sent there.`,
  );
}
