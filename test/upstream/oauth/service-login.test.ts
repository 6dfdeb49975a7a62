import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { jwtVerify } from "jose/jwt/verify";

import { oauthRefreshPauseMs } from "../../../src/base/upstream-limits.ts";
import type { ServiceClient } from "../../../src/upstream/config/service-client.ts";
import { NeedsConfig } from "../../../src/upstream/config/text-expander.ts";
import { logOut } from "../../../src/upstream/oauth/log-in.ts";
import { provingClient, type ServiceWish } from "../../../src/upstream/oauth/service-grant.ts";
import { logInAsService, ServiceLogin } from "../../../src/upstream/oauth/service-login.ts";
import type { AuthScript } from "../../fixtures/oauth/auth-server.ts";
import { serviceWishOf } from "../../fixtures/oauth/service-wish.ts";
import { LoginTrial } from "./logins.ts";
import { tokensOfFive } from "./token-processes.ts";

const hourMs = 3_600_000;

interface Trial extends Disposable {
  readonly trial: LoginTrial;
  readonly login: ServiceLogin;
  readonly later: (ms: number) => void;
  /** Requests for tokens. */
  readonly grants: () => number;
  /** As a request does that has no token, or one that is refused. */
  readonly refused: (status?: number, challenge?: string) => Promise<boolean | string>;
}

/** A server whose client logs in by itself, on a clock that can be moved. */
function open(
  script: AuthScript = {},
  proof?: ServiceClient["proof"],
  more: Partial<ServiceWish> = {},
): Trial {
  const trial = new LoginTrial(script);
  const { url } = trial.server;
  let now = Date.now();
  const wish = serviceWishOf(url, proof, more);
  const login = new ServiceLogin(wish, trial.openStore(), () => now);
  return {
    trial,
    login,
    later: (ms) => void (now += ms),
    grants: () => trial.server.to("/token").length,
    refused: async (status = 401, challenge = "") => {
      const headers = { "www-authenticate": challenge };
      const response = new Response(null, { status, headers });
      return login.refused(response, await login.token(url)).catch(String);
    },
    [Symbol.dispose]: () => trial[Symbol.dispose](),
  };
}

describe("a login without a person", () => {
  test("[GW-39] is had when the server wants it, with the secret, and kept without it", async () => {
    using opened = open();
    const { trial, login } = opened;
    const { url } = trial.server;
    expect([await login.token(url), opened.grants()]).toEqual([undefined, 0]);
    expect([await opened.refused(), await login.token(url)]).toEqual([true, "access-canary-1"]);
    expect(trial.server.to("/token")).toMatchObject([
      {
        authorization: `Basic ${btoa("me:secret-canary")}`,
        body: { grant_type: "client_credentials", resource: url, scope: "read" },
      },
    ]);
    expect(trial.server.to("/authorize")).toEqual([]);
    expect(login.secrets).toEqual(["access-canary-1"]);
    const store = trial.openStore();
    const { place } = serviceWishOf(url);
    const entry = await store.entry(place);
    expect(entry && (await store.record(entry))).toMatchObject({
      issuer: trial.server.origin,
      resource: url,
      client: { clientId: "me", authMethod: "client_secret_basic" },
      accessToken: "access-canary-1",
    });
    expect(entry && JSON.stringify(await store.record(entry))).not.toContain("secret-canary");
    expect(readFileSync(join(trial.folder, "logins.json"), "utf8")).not.toContain("canary");
    // It is not that of a person with the same client.
    expect(await store.entry({ url, clientId: "me" })).toBeUndefined();
    // Who starts later has it at once.
    const next = new ServiceLogin(serviceWishOf(url), store);
    expect([await next.token(url), opened.grants()]).toEqual(["access-canary-1", 1]);
  });

  test.each<[string, AuthScript, object]>([
    [
      "in the form",
      { metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] } },
      { client_id: "me", client_secret: "secret-canary" },
    ],
    [
      "where no person could log in",
      {
        metadata: {
          authorization_endpoint: undefined,
          code_challenge_methods_supported: undefined,
          token_endpoint_auth_methods_supported: ["client_secret_post"],
        },
      },
      { client_id: "me", client_secret: "secret-canary" },
    ],
  ])("with the secret %s", async (_, script, fields) => {
    using opened = open(script);
    expect(await opened.refused()).toBe(true);
    const [request] = opened.trial.server.to("/token");
    expect([request?.authorization, request?.body]).toEqual([
      null,
      expect.objectContaining(fields),
    ]);
  });

  test("[GW-39] with a key: a proof for this authorization server, another one each time", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    using opened = open({ expiresIn: 3600 }, { key: { key: privateKey, algorithm: "ES256" } });
    const { trial, login } = opened;
    expect(await opened.refused()).toBe(true);
    opened.later(0.9 * hourMs);
    await login.token(trial.server.url);
    const bodies = trial.server.to("/token").map(({ body }) => body);
    const ids = new Set<unknown>();
    for (const body of bodies) {
      expect(body).toMatchObject({
        client_id: "me",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      });
      expect(body).not.toHaveProperty("client_secret");
      const options = { audience: trial.server.origin, clockTolerance: 2 * hourMs };
      const { payload } = await jwtVerify(body["client_assertion"] ?? "", publicKey, options);
      expect(payload).toMatchObject({ iss: "me", sub: "me" });
      ids.add(payload.jti);
    }
    expect([bodies.length, ids.size]).toEqual([2, 2]);
  });

  test("[GW-39] is renewed at 80 % of its life, once, without looking anything up", async () => {
    using opened = open();
    const { trial, login } = opened;
    const { url } = trial.server;
    await opened.refused();
    const { length } = trial.server.requests;
    opened.later(0.79 * hourMs);
    expect(await login.token(url)).toBe("access-canary-1");
    opened.later(0.02 * hourMs);
    const all = await Promise.all([login.token(url), login.token(url), login.token(url)]);
    expect([...all, opened.grants()]).toEqual([...Array(3).fill("access-canary-2"), 2]);
    expect(trial.server.requests.length).toBe(length + 1);
  });

  test("is given to its own server only", async () => {
    using opened = open();
    await opened.refused();
    const { port } = new URL(opened.trial.server.url);
    for (const other of ["https://evil.test/mcp", `http://localhost:${port}/mcp`]) {
      expect(await opened.login.token(other)).toBeUndefined();
    }
  });

  test.each([
    ["none of them has one", false],
    ["all have one that is over", true],
  ])("[GW-39] five processes, and %s: one request for a token", async (_, isOver) => {
    using opened = open({ refreshMs: 150 });
    const { trial } = opened;
    if (isOver) await opened.refused();
    const before = opened.grants();
    expect(await tokensOfFive("one-service-token.ts", trial)).toEqual(
      Array(5).fill(`access-canary-${before + 1}\n`),
    );
    expect(opened.grants()).toBe(before + 1);
  });

  test("a refused one is replaced, unless it is new", async () => {
    using opened = open({ expiresIn: null });
    await opened.refused();
    expect([await opened.refused(), opened.grants()]).toEqual([false, 1]);
    opened.later(oauthRefreshPauseMs);
    expect([await opened.refused(), opened.grants()]).toEqual([true, 2]);
  });

  test("more rights are asked for where the server names them, once", async () => {
    using opened = open();
    await opened.refused();
    const challenge = 'Bearer error="insufficient_scope", scope="write"';
    expect(await opened.refused(403, challenge)).toBe(true);
    expect(opened.trial.server.to("/token").at(-1)?.body["scope"]).toBe("read write");
    expect([await opened.refused(403, challenge), opened.grants()]).toEqual([false, 2]);
  });

  test("pinned rights stay", async () => {
    using opened = open({}, undefined, { scopes: ["c"] });
    await opened.refused();
    expect(opened.trial.server.to("/token")[0]?.body["scope"]).toBe("c");
    const challenge = 'Bearer error="insufficient_scope", scope="write"';
    expect([await opened.refused(403, challenge), opened.grants()]).toEqual([false, 1]);
  });

  test("[GW-39] a refusal is told with its reason, and not asked for again at once", async () => {
    using opened = open({ refuseGrant: [401, "invalid_client"] });
    const said =
      "ConnectionError: The server wants a login. The authorization server refuses: invalid_client (not you).";
    expect([await opened.refused(), await opened.refused(), opened.grants()]).toEqual([
      said,
      said,
      1,
    ]);
    opened.trial.server.script = {};
    opened.later(oauthRefreshPauseMs);
    expect([await opened.refused(), opened.grants()]).toEqual([true, 2]);
  });

  test("a server that has trouble ends nothing", async () => {
    using opened = open();
    const { trial, login } = opened;
    const { url } = trial.server;
    await opened.refused();
    trial.server.script = { refuseGrant: [503, "temporarily_unavailable"] };
    opened.later(0.9 * hourMs);
    // It is still good, and the server is not asked with every request.
    expect([await login.token(url), await login.token(url), opened.grants()]).toEqual([
      "access-canary-1",
      "access-canary-1",
      2,
    ]);
    opened.later(0.2 * hourMs);
    const failure = await login.token(url).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "ConnectionError", failure: "unreachable" });
    trial.server.script = {};
    expect(await login.token(url)).toStartWith("access-canary-");
  });

  const gone = "The secret x is not there; set it with: scorpiox-code mcp secrets set x";
  test.each<[string, AuthScript, Partial<ServiceWish>, string]>([
    [
      "of another issuer than the entry says",
      {},
      { issuer: "https://right.test" },
      "belongs to https://right.test",
    ],
    [
      "of another resource",
      { resource: { resource: "https://evil.test/mcp" } },
      {},
      "for another resource",
    ],
    ["without a secret", {}, { client: () => Promise.reject(new NeedsConfig("x", gone)) }, gone],
    [
      "at an endpoint without encryption",
      { metadata: { token_endpoint: "http://a.test/token" } },
      {},
      "is not https",
    ],
  ])("is not asked for: %s", async (_, script, more, text) => {
    using opened = open(script, undefined, more);
    expect(await opened.refused()).toContain(text);
    expect(opened.trial.server.to("/token")).toEqual([]);
  });

  test("[GW-39] the secret is not sent to another authorization server than before, unless the entry names it", async () => {
    using opened = open();
    using other = new LoginTrial({
      metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] },
    });
    const { trial } = opened;
    await opened.refused();
    opened.later(oauthRefreshPauseMs);
    await opened.refused();
    trial.server.script = { resource: { authorization_servers: [other.server.origin] } };
    opened.later(oauthRefreshPauseMs);
    expect(await opened.refused()).toContain(`belongs to ${trial.server.origin}`);
    expect(other.server.to("/token")).toEqual([]);
    const wish = serviceWishOf(trial.server.url, undefined, { issuer: other.server.origin });
    const moved = new ServiceLogin(wish, trial.openStore(), () => Date.now() + 0.9 * hourMs);
    // It is due, and the one of before is not asked for it.
    expect([await moved.token(trial.server.url), opened.grants()]).toEqual([undefined, 2]);
    expect(await moved.refused(new Response(null, { status: 401 }), undefined)).toBe(true);
    expect(other.server.to("/token").length).toBe(1);
  });

  test("a login on the user's wish is seen by all, and a logout takes it back with the proof", async () => {
    using opened = open();
    const { trial, login } = opened;
    const wish = serviceWishOf(trial.server.url);
    const store = trial.openStore();
    await opened.refused();
    const before = (await store.entry(wish.place))?.id;
    const signal = AbortSignal.timeout(5_000);
    expect((await logInAsService(wish, store, signal)).accessToken).toBe("access-canary-2");
    expect((await store.entry(wish.place))?.id).not.toBe(before);
    expect(await login.token(trial.server.url)).toBe("access-canary-2");
    const outcome = await logOut(wish.place, store, signal, async (record) =>
      provingClient(record, await wish.client(), Date.now),
    );
    expect(outcome).toEqual({ wasLoggedIn: true, isRevoked: true, problems: [] });
    expect(trial.server.to("/revoke")).toMatchObject([
      { authorization: `Basic ${btoa("me:secret-canary")}`, body: { token: "access-canary-2" } },
    ]);
    expect(await store.entry(wish.place)).toBeUndefined();
  });
});
