import { describe, expect, test } from "bun:test";

import { ConnectionError } from "../../../src/upstream/connect/connection.ts";
import { logOut } from "../../../src/upstream/oauth/log-in.ts";
import { ServerLogin } from "../../../src/upstream/oauth/server-login.ts";
import type { AuthScript } from "../../fixtures/oauth/auth-server.ts";
import { LoginTrial } from "./logins.ts";
import { tokensOfFive } from "./token-processes.ts";

const hourMs = 3_600_000;

/** A login that was made, and the server's side of it, on a clock that can be moved. */
async function loggedIn(script: AuthScript = {}): Promise<{
  readonly trial: LoginTrial;
  readonly login: ServerLogin;
  readonly later: (ms: number) => void;
  readonly refreshes: () => number;
}> {
  const trial = new LoginTrial(script);
  await trial.logIn();
  let now = Date.now();
  const login = new ServerLogin(trial.place, trial.openStore(), () => now);
  const later = (ms: number): void => {
    now += ms;
  };
  const refreshes = (): number =>
    trial.server.to("/token").filter(({ body }) => body["grant_type"] === "refresh_token").length;
  return { trial, login, later, refreshes };
}

function refusal(status = 401, challenge = ""): Response {
  return new Response(null, { status, headers: { "www-authenticate": challenge } });
}

describe("the token of a server", () => {
  test("none without a login", async () => {
    using trial = new LoginTrial();
    const login = new ServerLogin(trial.place, trial.openStore());
    expect(await login.token(trial.server.url)).toBeUndefined();
    expect(await login.refused(refusal(), undefined)).toBe(false);
  });

  test("[GW-39] is renewed at 80 % of its life, once, and needs no discovery for that", async () => {
    const { trial, login, later, refreshes } = await loggedIn();
    using _ = trial;
    const { length } = trial.server.requests;
    const { url } = trial.server;
    later(0.79 * hourMs);
    expect([await login.token(url), refreshes()]).toEqual(["access-canary-2", 0]);
    later(0.02 * hourMs);
    const all = await Promise.all([login.token(url), login.token(url), login.token(url)]);
    expect([...all, refreshes()]).toEqual([...Array(3).fill("access-canary-3"), 1]);
    expect(trial.server.requests.length).toBe(length + 1);
    expect(trial.server.to("/token").at(-1)?.body).toEqual({
      grant_type: "refresh_token",
      refresh_token: "refresh-canary-2",
      resource: url,
      client_id: "registered",
    });
    expect(login.secrets).toEqual([
      "access-canary-3",
      "refresh-canary-3",
      "access-canary-2",
      "refresh-canary-2",
    ]);
  });

  test("is given to its own server only", async () => {
    const { trial, login } = await loggedIn();
    using _ = trial;
    const { port } = new URL(trial.server.url);
    for (const other of [
      "https://evil.test/mcp",
      `http://localhost:${port}/mcp`,
      "http://127.0.0.1:1/mcp",
    ]) {
      expect(await login.token(other)).toBeUndefined();
    }
  });

  test("[GW-39] five processes with one token that is over: one refresh", async () => {
    const { trial, refreshes } = await loggedIn({ refreshMs: 150 });
    using _ = trial;
    expect(await tokensOfFive("one-token.ts", trial)).toEqual(Array(5).fill("access-canary-3\n"));
    expect(refreshes()).toBe(1);
  });

  test("a refused one is renewed, unless it is new", async () => {
    const { trial, login, later, refreshes } = await loggedIn({ expiresIn: null });
    using _ = trial;
    const used = await login.token(trial.server.url);
    expect([await login.refused(refusal(), used), refreshes()]).toEqual([false, 0]);
    later(60_000);
    expect([await login.refused(refusal(), used), refreshes()]).toEqual([true, 1]);
    expect(await login.token(trial.server.url)).toBe("access-canary-3");
  });

  test("one that another process has renewed is taken over", async () => {
    const { trial, login, later, refreshes } = await loggedIn();
    using _ = trial;
    const used = await login.token(trial.server.url);
    const other = new ServerLogin(trial.place, trial.openStore(), () => Date.now() + hourMs);
    await other.token(trial.server.url);
    later(60_000);
    expect([await login.refused(refusal(), used), refreshes()]).toEqual([true, 1]);
  });

  test("[GW-39] a refused refresh ends the login for all, and is not repeated", async () => {
    const { trial, login, later, refreshes } = await loggedIn({
      refuseRefresh: [400, "invalid_grant"],
    });
    using _ = trial;
    later(2 * hourMs);
    expect(await login.token(trial.server.url)).toBeUndefined();
    expect(await login.refused(refusal(), undefined)).toBe(false);
    const other = new ServerLogin(trial.place, trial.openStore(), () => Date.now() + 3 * hourMs);
    expect(await other.token(trial.server.url)).toBeUndefined();
    expect(await other.refused(refusal(), undefined)).toBe(false);
    expect(refreshes()).toBe(1);
    // The next login mends it, and is seen at once.
    trial.server.script = {};
    await trial.logIn();
    expect(await login.token(trial.server.url)).toStartWith("access-canary-");
  });

  test("a server that has trouble ends nothing", async () => {
    const { trial, login, later, refreshes } = await loggedIn({ refuseRefresh: [503, "x"] });
    using _ = trial;
    trial.server.script = { refuseRefresh: [503, "temporarily_unavailable"] };
    const { url } = trial.server;
    later(0.9 * hourMs);
    // It is still good, and the server is not asked with every request.
    expect([await login.token(url), await login.token(url)]).toEqual(
      Array(2).fill("access-canary-2"),
    );
    expect(refreshes()).toBe(1);
    later(0.2 * hourMs);
    const failure = await login.token(url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ failure: "unreachable" });
    trial.server.script = {};
    expect(await login.token(url)).toStartWith("access-canary-");
  });

  test("what the server wants more is remembered for the next login", async () => {
    const { trial, login } = await loggedIn();
    using _ = trial;
    const challenge = 'Bearer error="insufficient_scope", scope="write"';
    const used = await login.token(trial.server.url);
    expect(await login.refused(refusal(403, challenge), used)).toBe(false);
    await trial.logIn();
    expect(trial.server.to("/authorize").at(-1)?.query["scope"]).toBe("read write");
  });
});

describe("logout", () => {
  test("takes back and deletes", async () => {
    using trial = new LoginTrial();
    trial.server.script = {
      client: {
        registration_client_uri: `${trial.server.origin}/registration`,
        registration_access_token: "registration-canary",
      },
    };
    await trial.logIn();
    const store = trial.openStore();
    const entry = await store.entry(trial.place);
    const signal = AbortSignal.timeout(5_000);
    expect(await logOut(trial.place, store, signal)).toEqual({
      wasLoggedIn: true,
      isRevoked: true,
      problems: [],
    });
    expect(trial.server.to("/revoke").map(({ body }) => body["token"])).toEqual([
      "refresh-canary-2",
      "access-canary-2",
    ] as never);
    expect(trial.server.to("/registration")[0]?.authorization).toBe("Bearer registration-canary");
    expect(await store.entry(trial.place)).toBeUndefined();
    expect(entry && (await store.record(entry))).toBeUndefined();
    expect((await logOut(trial.place, store, signal)).wasLoggedIn).toBe(false);
  });

  test("deletes here also when nobody answers there", async () => {
    using trial = new LoginTrial();
    await trial.logIn();
    const { place } = trial;
    trial.server[Symbol.dispose]();
    const outcome = await logOut(place, trial.openStore(), AbortSignal.timeout(5_000));
    expect([outcome.wasLoggedIn, outcome.isRevoked, outcome.problems.length]).toEqual([
      true,
      false,
      2,
    ]);
    expect(await trial.openStore().entry(place)).toBeUndefined();
  });
});
