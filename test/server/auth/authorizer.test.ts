import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { type Authorization, Authorizer } from "../../../src/server/auth/authorizer.ts";
import { JwtVerifier } from "../../../src/server/auth/jwt-verifier.ts";
import {
  type KnownToken,
  readTokenLines,
  StaticTokens,
} from "../../../src/server/auth/static-tokens.ts";
import type { Principal } from "../../../src/server/auth/principal.ts";
import { AuthorizationServer } from "./authorization-server.ts";
import { TestClock } from "./test-clock.ts";

const token = "0123456789abcdef";
const { tokens: list } = readTokenLines(`laptop ${token}`, "f");
const tokens = new StaticTokens({ current: () => list });
const metadataUrl = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
const resource = "https://mcp.example.com/mcp";

const plain = new Authorizer({ kind: "protected", tokens });
const open = new Authorizer({ kind: "open" });

function request(authorization?: string, query = "") {
  const headers = new Headers(authorization === undefined ? {} : { authorization });
  return { url: `http://127.0.0.1/mcp${query}`, headers };
}

function refusal(status: number, code: number, message: string, headers: Record<string, string>) {
  return {
    kind: "refused",
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", error: { code, message } }),
  };
}

const invalidRequest = -32600;
const challenge = (rest = ""): Record<string, string> => ({
  "www-authenticate": `Bearer realm="scorpiox-code"${rest}`,
});
const missing = 'A token is needed: send "Authorization: Bearer <token>".';
const inQuery =
  'Tokens in the URL are not accepted, because URLs are logged: send "Authorization: Bearer <token>".';

describe("Authorizer with static tokens", () => {
  test.each(["Bearer", "bearer", "BEARER"])(
    "%s and the token: who it stands for, at once",
    (scheme) => {
      expect(plain.authorize(request(`${scheme} ${token}`))).toEqual({
        kind: "ok",
        principal: { id: "token:laptop", label: "laptop", scopes: undefined },
      });
    },
  );

  test.each([undefined, "", "Bearer ", "Basic YTpi"])(
    "%p is no token: 401 without an error",
    (value) => {
      expect(plain.authorize(request(value))).toEqual(
        refusal(401, invalidRequest, missing, challenge()) as Authorization,
      );
    },
  );

  test("another token: 401 invalid_token", () => {
    const text = "The token is refused: it is not known here";
    expect(plain.authorize(request("Bearer wrong"))).toEqual(
      refusal(
        401,
        invalidRequest,
        `${text}.`,
        challenge(`, error="invalid_token", error_description="${text}"`),
      ) as Authorization,
    );
  });

  test.each([`Bearer ${token}, Bearer ${token}`, `Bearer ${token} ${token}`, `Bearer "${token}"`])(
    "U-oauth: %p is not one token: 400",
    (value) => {
      const text =
        "The Authorization header does not hold one bearer token of at most 8192 characters.";
      expect(plain.authorize(request(value))).toEqual(
        refusal(
          400,
          invalidRequest,
          text,
          challenge(`, error="invalid_request", error_description="${text}"`),
        ) as Authorization,
      );
    },
  );

  test.each(["?access_token=", "?token=", "?a=1&access%5ftoken="])(
    "U-oauth: a token in the query (%s) is not taken: 401, with a header beside it 400",
    (query) => {
      expect(plain.authorize(request(undefined, query + token))).toEqual(
        refusal(401, invalidRequest, inQuery, challenge()) as Authorization,
      );
      const description = inQuery.replaceAll('"', "'");
      expect(plain.authorize(request(`Bearer ${token}`, query + token))).toEqual(
        refusal(
          400,
          invalidRequest,
          inQuery,
          challenge(`, error="invalid_request", error_description="${description}"`),
        ) as Authorization,
      );
    },
  );

  test("tokens elsewhere do not count", () => {
    const headers = new Headers({
      "proxy-authorization": `Bearer ${token}`,
      "x-api-key": token,
      cookie: `token=${token}; access_token=${token}`,
    });
    expect(plain.authorize({ url: "http://h/mcp", headers })).toMatchObject({ status: 401 });
  });
});

describe("Authorizer.tokenStateOf()", () => {
  const principalOf = async (authorizer: Authorizer, bearer: string): Promise<Principal> => {
    const authorization = await authorizer.authorize(request(`Bearer ${bearer}`));
    if (authorization.kind === "ok") return authorization.principal;
    throw new Error(authorization.body);
  };
  const read = (text: string): readonly KnownToken[] => readTokenLines(text, "f").tokens;
  const other = "fedcba9876543210";

  test.each<[string, string, string]>([
    ["as it was", `laptop ${token}`, "valid"],
    ["with other scopes", `laptop ${token} tools:read`, "valid"],
    ["beside another", `desk ${other}\nlaptop ${token}`, "valid"],
    ["gone", "", "withdrawn"],
    ["with another token", `laptop ${other}`, "withdrawn"],
    ["with another label", `desk ${token}`, "withdrawn"],
  ])("the line of a token %s", async (_, text, state) => {
    let current = read(`laptop ${token}`);
    const source = { current: () => current };
    const authorizer = new Authorizer({ kind: "protected", tokens: new StaticTokens(source) });
    const principal = await principalOf(authorizer, token);
    expect(authorizer.tokenStateOf(principal)).toBe("valid");
    current = read(text);
    expect<string>(authorizer.tokenStateOf(principal)).toBe(state);
  });

  test("a line that comes back makes its token valid again", async () => {
    let current = read(`laptop ${token}`);
    const source = { current: () => current };
    const authorizer = new Authorizer({ kind: "protected", tokens: new StaticTokens(source) });
    const principal = await principalOf(authorizer, token);
    current = [];
    expect(authorizer.tokenStateOf(principal)).toBe("withdrawn");
    current = read(`laptop ${token}`);
    expect(authorizer.tokenStateOf(principal)).toBe("valid");
  });

  test("a signed token has expired when it would be refused for its age", async () => {
    await using issuer = await AuthorizationServer.start();
    const clock = new TestClock();
    const jwt = new JwtVerifier({
      issuer: issuer.issuer,
      audiences: [resource],
      keySetUrl: issuer.keySetUrl,
      warn: () => {},
      clock,
    });
    const authorizer = new Authorizer({ kind: "protected", tokens, jwt });
    const exp = Math.floor(clock.wallMs() / 1000) + 60;
    const claims = { ...issuer.claims(resource, clock.wallMs()), exp };
    const principal = await principalOf(authorizer, await issuer.sign(claims));
    clock.setWall((exp + 30) * 1000 - 1);
    expect(authorizer.tokenStateOf(principal)).toBe("valid");
    clock.setWall((exp + 30) * 1000);
    expect(authorizer.tokenStateOf(principal)).toBe("expired");
    expect(authorizer.tokenStateOf(await principalOf(authorizer, token))).toBe("valid");
  });

  test("without authentication nothing is ever taken back", () => {
    expect(open.tokenStateOf({ id: "local", scopes: undefined })).toBe("valid");
  });
});

describe("Authorizer without authentication", () => {
  test.each([undefined, "Bearer whatever", "Basic YTpi"])(
    "%p: the user of this machine",
    (value) => {
      expect(open.authorize(request(value))).toEqual({
        kind: "ok",
        principal: { id: "local", scopes: undefined },
      });
    },
  );

  test("a token in the query is refused here too, without a challenge", () => {
    expect(open.authorize(request(undefined, "?token=x"))).toEqual(
      refusal(400, invalidRequest, inQuery, {}) as Authorization,
    );
  });
});

describe("Authorizer with nothing to check tokens with", () => {
  test("lets nobody in", () => {
    const closed = new Authorizer({ kind: "protected" });
    expect(closed.authorize(request(`Bearer ${token}`))).toMatchObject({ status: 401 });
    expect(closed.authorize(request())).toMatchObject({ status: 401 });
  });
});

describe("Authorizer with an authorization server", () => {
  let server: AuthorizationServer;
  let authorizer: Authorizer;
  const scopes = ["tools:exec", "tools:use"];
  const known = `, resource_metadata="${metadataUrl}", scope="tools:exec tools:use"`;
  const clock = new TestClock();

  beforeAll(async () => {
    server = await AuthorizationServer.start();
    const jwt = new JwtVerifier({
      issuer: server.issuer,
      audiences: [resource],
      keySetUrl: server.keySetUrl,
      warn: () => {},
      clock,
    });
    const access = {
      kind: "protected",
      tokens,
      jwt,
      resourceMetadataUrl: metadataUrl,
      scopes,
    } as const;
    authorizer = new Authorizer(access);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("the challenge says where to get a token and for what", () => {
    expect(authorizer.authorize(request())).toEqual(
      refusal(401, invalidRequest, missing, challenge(known)) as Authorization,
    );
  });

  test("U-oauth: a good token, at once the second time; a static one at once", async () => {
    const claims = { ...server.claims(resource, clock.wallMs()), scope: "tools:use" };
    const good = request(`Bearer ${await server.sign(claims)}`);
    const { issuer } = server;
    const scopes = new Set(["tools:use"]);
    const principal = { id: `jwt:${issuer}|alice`, scopes, issuer, sub: "alice" };
    const first = authorizer.authorize(good);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toEqual({ kind: "ok", principal });
    expect(authorizer.authorize(good)).toEqual({ kind: "ok", principal });
    expect(authorizer.authorize(request(`Bearer ${token}`))).toMatchObject({ kind: "ok" });
  });

  test("U-oauth: a token for somebody else: 401 with the reason", async () => {
    const claims = server.claims("https://other.example", clock.wallMs());
    const text = "The token is refused: it is for another audience";
    expect(await authorizer.authorize(request(`Bearer ${await server.sign(claims)}`))).toEqual(
      refusal(
        401,
        invalidRequest,
        `${text}.`,
        challenge(`${known}, error="invalid_token", error_description="${text}"`),
      ) as Authorization,
    );
  });

  test("U-oauth: while the keys cannot be had: 503 and when to try again", async () => {
    await using other = await AuthorizationServer.start();
    other.behaviour = { kind: "answer", respond: () => new Response("", { status: 500 }) };
    const { issuer, keySetUrl } = other;
    const jwt = new JwtVerifier({ issuer, keySetUrl, audiences: [resource], warn: () => {} });
    const down = new Authorizer({ kind: "protected", jwt });
    const claims = other.claims(resource, Date.now());
    expect(await down.authorize(request(`Bearer ${await other.sign(claims)}`))).toEqual(
      refusal(
        503,
        -32603,
        "The token cannot be checked now: the keys of the authorization server are not available. Try again later.",
        { "retry-after": "5" },
      ) as Authorization,
    );
  });

  test("insufficientScope() names all scopes that are needed", () => {
    const text = "The token does not allow this. Needed scopes: files:write tools:use";
    const rest = `, resource_metadata="${metadataUrl}", scope="files:write tools:use", error="insufficient_scope", error_description="${text}"`;
    expect(authorizer.insufficientScope(["files:write", "tools:use"])).toEqual(
      refusal(403, invalidRequest, `${text}.`, challenge(rest)) as never,
    );
  });
});
