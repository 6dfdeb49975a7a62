import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { AuthScript } from "../../fixtures/oauth/auth-server.ts";
import { LoginTrial, visit } from "./logins.ts";

async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no failure",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("a login", () => {
  test("[GW-39] registers, proves itself, names the resource, and keeps what it got", async () => {
    using trial = new LoginTrial();
    const record = await trial.logIn();
    const [registration] = trial.server.to("/register");
    const [authorization] = trial.server.to("/authorize");
    const [token] = trial.server.to("/token");
    expect(registration?.body).toEqual({
      client_name: "scorpiox-code",
      application_type: "native",
      redirect_uris: [record.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    } as never);
    expect(authorization?.query).toEqual({
      response_type: "code",
      client_id: "registered",
      redirect_uri: record.redirectUri ?? "",
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      resource: trial.server.url,
      scope: "read",
    });
    expect(token).toMatchObject({
      authorization: null,
      body: {
        grant_type: "authorization_code",
        client_id: "registered",
        redirect_uri: record.redirectUri,
        resource: trial.server.url,
      },
    });
    expect(record).toMatchObject({ issuer: trial.server.origin, accessToken: "access-canary-2" });
    const store = trial.openStore();
    const entry = await store.entry(trial.place);
    expect(entry && (await store.record(entry))).toEqual(record);
    const list = readFileSync(join(trial.folder, "logins.json"), "utf8");
    expect(list).not.toContain("canary");
  });

  test("a second one has the registration and the rights of the first", async () => {
    using trial = new LoginTrial();
    const { redirectUri } = await trial.logIn();
    await trial.openStore().note(trial.place, { scope: "write" });
    const again = await trial.logIn();
    expect(trial.server.to("/register").length).toBe(1);
    expect([again.redirectUri, again.scope]).toEqual([redirectUri, "read write"]);
    // What was wanted is had.
    expect(await trial.openStore().wanted(trial.place)).toEqual({});
  });

  test.each<[string, AuthScript, object, string | undefined]>([
    ["those of the challenge", { challenge: 'scope="a b"' }, {}, "a b"],
    ["those of the resource", { challenge: 'error="x"' }, {}, "read"],
    ["none", { challenge: 'error="x"', resource: { scopes_supported: undefined } }, {}, undefined],
    ["pinned ones alone", { challenge: 'scope="a b"' }, { scopes: ["c"] }, "c"],
    [
      "that of a refresh token, where the server knows it",
      { metadata: { scopes_supported: ["offline_access", "all"] } },
      {},
      "read offline_access",
    ],
  ])("scopes: %s", async (_, script, wish, scope) => {
    using trial = new LoginTrial(script);
    await trial.logIn(wish);
    expect(trial.server.to("/authorize")[0]?.query["scope"]).toBe(scope as never);
  });

  const secretOnly = { token_endpoint_auth_methods_supported: ["client_secret_basic"] };
  const basic = `Basic ${Buffer.from("me:sec%3Aret").toString("base64")}`;
  test.each<[string, AuthScript, object, string | undefined, string | null]>([
    ["a configured one", {}, { clientId: "me" }, "me", null],
    [
      "one with a secret, in the header",
      { metadata: secretOnly },
      { clientId: "me", clientSecret: "sec:ret" },
      undefined,
      basic,
    ],
    [
      "one with a secret, in the form",
      { metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] } },
      { clientId: "me", clientSecret: "sec:ret" },
      "me",
      null,
    ],
    [
      "a document, where the server takes them",
      { metadata: { client_id_metadata_document_supported: true } },
      { metadataUrl: "https://me.test/client.json" },
      "https://me.test/client.json",
      null,
    ],
    [
      "a registered one, where it does not",
      {},
      { metadataUrl: "https://me.test/client.json" },
      "registered",
      null,
    ],
    [
      "a registered one with a secret",
      { metadata: secretOnly, client: { client_secret: "sec:ret", client_id: "me" } },
      {},
      undefined,
      basic,
    ],
  ])("client: %s", async (_, script, client, inForm, inHeader) => {
    using trial = new LoginTrial(script);
    await trial.logIn({ client });
    const [token] = trial.server.to("/token");
    expect([token?.body["client_id"], token?.authorization]).toEqual([inForm, inHeader] as never);
  });

  test.each<[string, AuthScript]>([
    ["metadata that nobody named", { namesNothing: true }],
    ["an address above the server's", { path: "/a/b", resource: { resource: undefined } }],
    [
      "a server of 2025-03-26, which is its own authorization server",
      { resource: null, namesNothing: true },
    ],
  ])("found by %s", async (_, script) => {
    using trial = new LoginTrial(script);
    if (script.path !== undefined) {
      trial.server.script = { ...script, resource: { resource: `${trial.server.origin}/a` } };
    }
    expect((await trial.logIn()).accessToken).toBe("access-canary-2");
  });

  const other = "https://evil.test";
  test.each<[string, AuthScript, string]>([
    [
      "metadata of another issuer",
      { metadata: { issuer: other } },
      "says that it is https://evil.test",
    ],
    [
      "another resource",
      { resource: { resource: `${other}/mcp` } },
      "are those of https://evil.test/mcp",
    ],
    [
      "a resource below the server",
      { resource: { resource: "SELF/deeper" } },
      "a login would be for another resource",
    ],
    [
      "no PKCE",
      { metadata: { code_challenge_methods_supported: ["plain"] } },
      "does not announce PKCE",
    ],
    [
      "PKCE not announced",
      { metadata: { code_challenge_methods_supported: undefined } },
      "does not announce PKCE",
    ],
    [
      "no page for a login",
      { metadata: { authorization_endpoint: undefined } },
      'grant = "client_credentials"',
    ],
    [
      "an endpoint that is a file",
      { metadata: { authorization_endpoint: "file:///etc/passwd" } },
      "is not https",
    ],
    [
      "an endpoint that is a script",
      { metadata: { authorization_endpoint: "javascript:alert(1)" } },
      "is not https",
    ],
    [
      "an endpoint with orders for a shell",
      { metadata: { authorization_endpoint: "https://a.test/$(touch x)" } },
      "has characters that no address needs",
    ],
    [
      "an endpoint that is an option",
      { metadata: { authorization_endpoint: "--help" } },
      "is not an address",
    ],
    [
      "an endpoint without encryption",
      { metadata: { token_endpoint: "http://a.test/token" } },
      "is not https",
    ],
    [
      "an endpoint with a password",
      { metadata: { token_endpoint: "https://u:p@a.test/token" } },
      "has a user name",
    ],
    [
      "an authorization server without encryption",
      { resource: { authorization_servers: ["http://a.test"] } },
      "is not https",
    ],
    [
      "no authorization server",
      { resource: { authorization_servers: [] } },
      "name no authorization server",
    ],
    [
      "no registration",
      { metadata: { registration_endpoint: undefined } },
      "has no dynamic registration",
    ],
    ["an answer from another issuer", { iss: other }, "is from https://evil.test"],
    ["an answer from the issuer with a slash", { iss: "SELF/" }, "The login was aborted"],
    ["an answer that names no issuer", { iss: null }, "does not name its sender"],
    [
      "an answer from another issuer that nobody announced",
      { iss: other, metadata: { authorization_response_iss_parameter_supported: false } },
      "is from https://evil.test",
    ],
    ["a user who refuses", { error: "access_denied" }, "refuses: access_denied"],
  ])("given up: %s", async (_, script, text) => {
    using trial = new LoginTrial(script);
    const self = JSON.stringify(script);
    if (self.includes("SELF/")) {
      trial.server.script = JSON.parse(self.replaceAll("SELF/", `${trial.server.origin}/`));
    }
    expect(await failureOf(trial.logIn())).toContain(text);
    // Before a browser was opened, or before a code was traded.
    expect(trial.server.to("/token")).toEqual([]);
    expect(await trial.openStore().entry(trial.place)).toBeUndefined();
  });

  test("what comes back with another state is turned away, and the login goes on", async () => {
    using trial = new LoginTrial();
    const pages: string[] = [];
    const show = (url: string): void => {
      const back = new URL(url).searchParams.get("redirect_uri") ?? "";
      void visit(`${back}?code=x&state=wrong`)
        .then((text) => pages.push(text))
        .then(() => visit(back.replace("/callback", "/other")))
        .then((text) => pages.push(text))
        .then(() => visit(url));
    };
    expect((await trial.logIn({}, { show })).accessToken).toStartWith("access-");
    expect(pages.map((page) => page.includes("come back"))).toEqual([false, false]);
  });

  test.each([
    ["the whole address", (answer: string) => answer, true],
    ["its query", (answer: string) => new URL(answer).search, true],
    [
      "the code alone, where the issuer is to be named",
      (answer: string) => new URL(answer).searchParams.get("code") ?? "",
      false,
    ],
    ["that of another login", (answer: string) => answer.replace("state=", "state=x"), false],
  ])("pasted: %s", async (_, pick, counts) => {
    using trial = new LoginTrial();
    const address = Promise.withResolvers<string>();
    const complaints: string[] = [];
    let asked = 0;
    const pasted = async (): Promise<string | undefined> => {
      const response = await fetch(await address.promise, { redirect: "manual" });
      const answer = response.headers.get("location") ?? "";
      return ++asked === 1 ? pick(answer) : answer;
    };
    const complain = (text: string): void => void complaints.push(text);
    await trial.logIn({}, { show: address.resolve, pasted, complain });
    expect([asked, complaints.length]).toEqual(counts ? [1, 0] : [2, 1]);
  });

  test("a port that is in use is named", async () => {
    using trial = new LoginTrial();
    const redirectPort = Number(new URL(trial.server.origin).port);
    expect(await failureOf(trial.logIn({ redirectPort }))).toContain(`port ${redirectPort}`);
  });
});
