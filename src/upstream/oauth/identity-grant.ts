import { errorOf, methodOf, type OauthClient } from "./client-registration.ts";
import { serverMetadata } from "./discover.ts";
import { refusal } from "./oauth-refusal.ts";
import type { OauthRequests } from "./oauth-requests.ts";
import type { IdpOptions } from "../config/service-options.ts";
import { authorize, isToken } from "./token-endpoint.ts";

const grantType = "urn:ietf:params:oauth:token-type:id-jag";

/** For whom an identity provider is to speak. */
export interface IdentityWish {
  /** The authorization server. */
  readonly issuer: string;
  /** What the tokens there are for. */
  readonly resource: string;
  readonly scope?: string;
}

/**
 * Has a company's identity provider say to one authorization server who the person is, for one resource (RFC 8693, with
 * the grant of identity assertions). What it says is good for some minutes and is not kept.
 * @throws OauthError, OauthUnreachable, AppError `refused`
 */
export async function requestIdentityGrant(
  { issuer, resource, scope }: IdentityWish,
  { issuer: idp, clientId, clientSecret, idToken }: IdpOptions,
  requests: OauthRequests,
): Promise<string> {
  const metadata = await serverMetadata(idp, requests);
  const client: OauthClient = {
    clientId,
    authMethod: methodOf(metadata, clientSecret),
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: grantType,
    audience: issuer,
    resource,
    subject_token: idToken,
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    ...(scope === undefined ? {} : { scope }),
  });
  const headers = await authorize(client, form);
  const what = "The identity provider";
  const { status, body } = await requests.post(metadata.tokenEndpoint, form, headers, what);
  if (status !== 200 || body === undefined) throw errorOf(status, body, what);
  const { access_token: grant, issued_token_type: type } = body;
  if (type !== grantType || !isToken(grant)) {
    throw refusal("The identity provider gave something else than what was asked for.");
  }
  return grant;
}
