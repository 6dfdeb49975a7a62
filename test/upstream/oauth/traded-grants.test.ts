import { describe, expect, test } from "bun:test";

import type { IdpOptions } from "../../../src/upstream/config/server-entry.ts";
import type { ServiceClient } from "../../../src/upstream/config/service-client.ts";
import { ServiceLogin } from "../../../src/upstream/oauth/service-login.ts";
import type { AuthScript } from "../../fixtures/oauth/auth-server.ts";
import { serviceWishOf } from "../../fixtures/oauth/service-wish.ts";
import { LoginTrial } from "./logins.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const exchanged = { access_token: "grant-canary", issued_token_type: idJag, token_type: "N_A" };

/** What is had of a server that wants a token: whether there is another one, or why not. */
async function outcomeOf(
  trial: LoginTrial,
  client: Omit<ServiceClient, "clientId" | "secrets">,
): Promise<boolean | string> {
  const wish = serviceWishOf(trial.server.url, client.proof, {
    client: () => Promise.resolve({ clientId: "me", secrets: [], ...client }),
  });
  const login = new ServiceLogin(wish, trial.openStore());
  return login.refused(new Response(null, { status: 401 }), undefined).catch(String);
}

describe("a token for what an identity provider says of a person", () => {
  const proof = { secret: "secret-canary" };
  const providerOf = (idp: LoginTrial): IdpOptions => ({
    issuer: idp.server.origin,
    clientId: "at-idp",
    idToken: "id-canary",
  });

  test("is had in two steps: there for this server alone, here with the client's proof", async () => {
    using idp = new LoginTrial({ exchanged });
    using trial = new LoginTrial();
    expect(await outcomeOf(trial, { proof, trades: { idp: providerOf(idp) } })).toBe(true);
    expect(idp.server.to("/token")).toMatchObject([
      {
        authorization: null,
        body: {
          grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
          requested_token_type: idJag,
          subject_token: "id-canary",
          subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
          audience: trial.server.origin,
          resource: trial.server.url,
          scope: "read",
          client_id: "at-idp",
        },
      },
    ]);
    expect(trial.server.to("/token")).toMatchObject([
      {
        authorization: `Basic ${btoa("me:secret-canary")}`,
        body: {
          grant_type: jwtBearer,
          assertion: "grant-canary",
          resource: trial.server.url,
          scope: "read",
        },
      },
    ]);
  });

  test("with a secret for the identity provider", async () => {
    const metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] };
    using idp = new LoginTrial({ exchanged, metadata });
    using trial = new LoginTrial();
    const provider = { ...providerOf(idp), clientSecret: "idp-canary" };
    expect(await outcomeOf(trial, { proof, trades: { idp: provider } })).toBe(true);
    expect(idp.server.to("/token")[0]?.authorization).toBe(`Basic ${btoa("at-idp:idp-canary")}`);
  });

  test.each<[string, AuthScript, string]>([
    [
      "refuses",
      { refuseGrant: [400, "invalid_grant"] },
      "The identity provider refuses: invalid_grant",
    ],
    [
      "gives another token",
      { exchanged: { ...exchanged, issued_token_type: "x" } },
      "the requested kind of token",
    ],
    [
      "gives no token",
      { exchanged: { ...exchanged, access_token: "" } },
      "the requested kind of token",
    ],
    [
      "is another one",
      { metadata: { issuer: "https://evil.test" } },
      "says that it is https://evil.test",
    ],
  ])("is not had where that %s", async (_, script, text) => {
    using idp = new LoginTrial(script);
    using trial = new LoginTrial();
    const said = await outcomeOf(trial, { proof, trades: { idp: providerOf(idp) } });
    expect(said).toContain(text);
    expect(said).not.toContain("canary");
    expect(trial.server.to("/token")).toEqual([]);
  });
});

describe("a token for what a platform says of a program", () => {
  const client = { proof: "none", trades: { assertion: "jwt-canary" } } as const;

  test("needs no other proof", async () => {
    using trial = new LoginTrial();
    expect(await outcomeOf(trial, client)).toBe(true);
    expect(trial.server.to("/token")).toMatchObject([
      {
        authorization: null,
        body: { grant_type: jwtBearer, assertion: "jwt-canary", client_id: "me", scope: "read" },
      },
    ]);
  });

  test("is asked for once, in this way alone", async () => {
    using trial = new LoginTrial({ refuseGrant: [400, "invalid_scope"] });
    expect([await outcomeOf(trial, client), trial.server.to("/token").length]).toEqual([
      expect.stringContaining("refuses: invalid_scope"),
      1,
    ]);
  });
});
