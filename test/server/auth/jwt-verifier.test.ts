import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type JWTPayload, SignJWT } from "jose";

import { tokenGroupsMax } from "../../../src/base/limits.ts";
import { JwtVerifier, type TokenCheck } from "../../../src/server/auth/jwt-verifier.ts";
import type { Principal } from "../../../src/server/auth/principal.ts";
import { AuthorizationServer, createSigningKey, type SigningKey } from "./authorization-server.ts";
import { TestClock } from "./test-clock.ts";

const audience = "https://mcp.example.com/mcp";

let server: AuthorizationServer;
let clock: TestClock;
let warnings: string[];
let verifier: JwtVerifier;

beforeAll(async () => {
  server = await AuthorizationServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  clock = new TestClock();
  warnings = [];
  verifier = new JwtVerifier({
    issuer: server.issuer,
    audiences: [audience, "other-name"],
    keySetUrl: server.keySetUrl,
    warn: (message) => warnings.push(message),
    clock,
  });
});

const rejected = (reason: string): TokenCheck => ({ kind: "rejected", reason });
const accepted = (id: string, scopes: string[] = [], more: Partial<Principal> = {}): TokenCheck => {
  const [, sub] = /^jwt:.*\|(.*)$/.exec(id) ?? [];
  const { issuer } = server;
  const principal = { id, scopes: new Set(scopes), issuer, ...(sub !== undefined && { sub }) };
  return { kind: "accepted", principal: { ...principal, ...more } };
};
const alice = (more?: Partial<Principal>): TokenCheck =>
  accepted(`jwt:${server.issuer}|alice`, [], more);

const groupNames = (count: number): string[] => Array.from({ length: count }, (_, at) => `g${at}`);

/** A token that is good apart from what is given; undefined removes a claim. */
async function checkClaims(changes: JWTPayload, header?: Record<string, unknown>) {
  const claims = { ...server.claims(audience, clock.wallMs()), ...changes };
  return verifier.check(await server.sign(claims, header && { header }));
}

const nowSeconds = (): number => Math.floor(clock.wallMs() / 1000);
const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

describe("JwtVerifier: claims", () => {
  test("U-oauth: a good token is taken", async () => {
    expect(await checkClaims({})).toEqual(alice());
  });

  test.each<[string, () => JWTPayload, string]>([
    ["wrong audience", () => ({ aud: "https://other.example/mcp" }), "it is for another audience"],
    ["wrong audiences", () => ({ aud: ["a", `${audience}/`] }), "it is for another audience"],
    ["no audience", () => ({ aud: undefined as never }), "it is for another audience"],
    ["other issuer", () => ({ iss: "https://evil.example" }), "it is from another issuer"],
    ["issuer with a slash", () => ({ iss: `${server.issuer}/` }), "it is from another issuer"],
    ["no issuer", () => ({ iss: undefined as never }), "it is from another issuer"],
    ["expired", () => ({ exp: nowSeconds() - 30 }), "it has expired"],
    ["no expiry", () => ({ exp: undefined as never }), "it does not say when it expires"],
    ["expiry as text", () => ({ exp: "2999-01-01" as never }), "it does not say when it expires"],
    ["nbf in the future", () => ({ nbf: nowSeconds() + 31 }), "it is not valid yet"],
    [
      "bound to a key",
      () => ({ cnf: { jkt: "x" } }),
      "it is bound to a key, and only bearer tokens are accepted",
    ],
    ["no subject", () => ({ sub: undefined as never }), "it names neither subject nor client"],
    ["empty subject", () => ({ sub: "" }), "it names neither subject nor client"],
    [
      "subject of 256 characters",
      () => ({ sub: "s".repeat(256) }),
      "it names neither subject nor client",
    ],
    ["subject with a line feed", () => ({ sub: "a\nb" }), "it names neither subject nor client"],
  ])("U-oauth: %s is refused", async (_, changes, reason) => {
    expect(await checkClaims(changes())).toEqual(rejected(reason));
  });

  test.each<[string, JWTPayload, Principal["groups"]]>([
    ["a list", { groups: ["dev", "ops"] }, ["dev", "ops"]],
    ["a text", { groups: "dev" }, ["dev"]],
    ["none", { groups: [] }, []],
    ["no claim", {}, undefined],
    ["another claim", { roles: ["dev"] }, undefined],
    ["as many as are read", { groups: groupNames(tokenGroupsMax) }, groupNames(tokenGroupsMax)],
    ["one more", { groups: groupNames(tokenGroupsMax + 1) }, "unknown"],
    ["an object", { groups: { dev: true } }, "unknown"],
    ["a number among them", { groups: ["dev", 1] }, "unknown"],
    ["a name with a line feed", { groups: ["dev\nops"] }, "unknown"],
    ["elsewhere", { _claim_names: { groups: "src1" } }, "unknown"],
  ])("TM3: groups of %s", async (_, changes, groups) => {
    expect(await checkClaims(changes)).toEqual(alice(groups === undefined ? {} : { groups }));
  });

  test("TM3: groups are in the claim that is configured", async () => {
    const other = new JwtVerifier({
      issuer: server.issuer,
      audiences: [audience],
      keySetUrl: server.keySetUrl,
      groupsClaim: "https://example.com/teams",
      warn: () => {},
      clock,
    });
    const claims = server.claims(audience, clock.wallMs());
    const token = await server.sign({
      ...claims,
      groups: ["a"],
      "https://example.com/teams": ["b"],
    });
    expect(await other.check(token)).toEqual(alice({ groups: ["b"] }));
  });

  test.each<[string, () => JWTPayload]>([
    ["one of several audiences", () => ({ aud: ["x", audience] })],
    ["the other name of ours", () => ({ aud: "other-name" })],
    ["expired 29 s ago", () => ({ exp: nowSeconds() - 29 })],
    ["valid in 30 s", () => ({ nbf: nowSeconds() + 30 })],
  ])("%s is taken", async (_, changes) => {
    expect(await checkClaims(changes())).toEqual(alice());
  });

  test.each<[JWTPayload, string]>([
    [{ sub: "s".repeat(255) }, `jwt:ISSUER|${"s".repeat(255)}`],
    [{ sub: "alice", client_id: "c" }, "jwt:ISSUER|alice"],
    [{ sub: undefined as never, client_id: "alice" }, "jwt-client:ISSUER|alice"],
  ])("%j is a principal of its own", async (changes, id) => {
    expect(await checkClaims(changes)).toEqual(accepted(id.replace("ISSUER", server.issuer)));
  });

  test.each<[JWTPayload, string[]]>([
    [{ scope: "tools:use tools:exec" }, ["tools:use", "tools:exec"]],
    [{ scp: ["tools:use", "tools:exec", 5] }, ["tools:use", "tools:exec"]],
    [{ scp: "a b" }, ["a", "b"]],
    [{ scope: "a", scp: ["b"] }, ["a", "b"]],
    [{ scope: "" }, []],
    [{ scope: { a: 1 }, scp: null }, []],
    [{}, []],
  ])("%j gives the scopes %p, never all of them", async (changes, scopes) => {
    expect(await checkClaims(changes)).toEqual(accepted(`jwt:${server.issuer}|alice`, scopes));
  });

  test.each<[unknown, boolean]>([
    ["at+jwt", true],
    ["application/at+jwt", true],
    ["JWT", true],
    ["logout+jwt", false],
    ["dpop+jwt", false],
    [5, false],
  ])("U-oauth: a token of the type %p is an access token: %p", async (typ, isAccessToken) => {
    expect(await checkClaims({}, { typ })).toEqual(
      isAccessToken ? alice() : rejected("it is a JWT of another kind than an access token"),
    );
  });
});

describe("JwtVerifier: signatures", () => {
  test.each(["RS256", "PS256", "ES256", "ES384", "EdDSA"])("%s is taken", async (alg) => {
    const key = await createSigningKey(`key-${alg}`, alg);
    const published = server.published;
    server.published = [...published, key.publicJwk];
    const token = await server.sign(server.claims(audience, clock.wallMs()), { key });
    expect(await verifier.check(token)).toEqual(alice());
    server.published = published;
  });

  /** Signed with what everybody knows, as if it were a shared secret. */
  async function signWithPublicKey({ publicJwk, kid }: SigningKey, claims: JWTPayload) {
    const secret = new TextEncoder().encode(JSON.stringify(publicJwk));
    return new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(secret);
  }

  test("U-oauth: HS256 with the public key as the secret is refused", async () => {
    const token = await signWithPublicKey(server.key, server.claims(audience, clock.wallMs()));
    expect(await verifier.check(token)).toEqual(rejected("its algorithm is not accepted"));
  });

  test.each(["none", "None", "nOnE", "HS256", "RS512", "ES256K", ""])(
    "U-oauth: alg %p without a signature is refused",
    async (alg) => {
      const claims = base64url(server.claims(audience, clock.wallMs()));
      const token = `${base64url({ alg, kid: server.key.kid })}.${claims}.`;
      const reason = alg === "" ? "it is not a signed JWT" : "its algorithm is not accepted";
      expect(await verifier.check(token)).toEqual(rejected(reason));
    },
  );

  test("U-oauth: a key that the token brings along or points to is not used", async () => {
    await using evil = await AuthorizationServer.start();
    const claims = server.claims(audience, clock.wallMs());
    const header = { kid: server.key.kid, jwk: evil.key.publicJwk, jku: evil.keySetUrl.href };
    const token = await evil.sign(claims, { header });
    expect(await verifier.check(token)).toEqual(rejected("its signature is wrong"));
    expect(evil.requests).toBe(0);
  });

  test("U-oauth: the keys of another server do not count", async () => {
    await using other = await AuthorizationServer.start();
    await other.rotate("theirs");
    const token = await other.sign(server.claims(audience, clock.wallMs()));
    const reason = "its key is not one of the authorization server";
    expect(await verifier.check(token)).toEqual(rejected(reason));
  });

  test("U-oauth: changed claims are refused, also when the token was taken before", async () => {
    const claims = server.claims(audience, clock.wallMs());
    const [header, , signature] = (await server.sign(claims)).split(".");
    expect(await verifier.check(await server.sign(claims))).toEqual(alice());
    const forged = `${header}.${base64url({ ...claims, sub: "root" })}.${signature}`;
    expect(await verifier.check(forged)).toEqual(rejected("its signature is wrong"));
  });

  test("an extension that the token calls critical is not skipped", async () => {
    const result = await checkClaims({}, { crit: ["x"], x: 1 });
    expect(result).toEqual(rejected("it cannot be checked"));
  });

  test("of several keys that fit, none is guessed", async () => {
    const published = server.published;
    const second = await createSigningKey("second");
    server.published = [...published, second.publicJwk];
    const result = await checkClaims({}, { kid: undefined });
    expect(result).toEqual(rejected("it does not say which key signed it"));
    server.published = published;
  });

  test("the only key that fits need not be named", async () => {
    expect(await checkClaims({}, { kid: undefined })).toEqual(alice());
  });

  test.each(["", ".", "..", "...", "a.b", "a.b.c", "a.b.c.d.e", "e30.e30.", "bnVsbA.e30.e30"])(
    "%p is no token, and the keys are not asked for",
    async (token) => {
      const before = server.requests;
      expect(await verifier.check(token)).toEqual(rejected("it is not a signed JWT"));
      expect(server.requests).toBe(before);
    },
  );
});

describe("JwtVerifier: what it remembers", () => {
  const signed = async (changes: JWTPayload = {}): Promise<string> =>
    server.sign({ ...server.claims(audience, clock.wallMs()), ...changes });

  test("a token that was found good is taken at once for a minute", async () => {
    const token = await signed();
    expect(verifier.check(token)).toBeInstanceOf(Promise);
    await verifier.check(token);
    clock.advance(59_000);
    expect(verifier.check(token)).toEqual(alice());
    clock.advance(1_001);
    const again = verifier.check(token);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toEqual(alice());
  });

  test("U-oauth: not beyond its expiry", async () => {
    const token = await signed({ exp: nowSeconds() + 10 });
    await verifier.check(token);
    clock.advance(9_000);
    expect(verifier.check(token)).toEqual(alice());
    clock.advance(32_000);
    expect(await verifier.check(token)).toEqual(rejected("it has expired"));
  });

  test("a clock that is set back does not make it longer", async () => {
    const token = await signed();
    await verifier.check(token);
    clock.advance(60_001);
    clock.setWall(clock.wallMs() - 60_000);
    expect(verifier.check(token)).toBeInstanceOf(Promise);
  });

  test("a token that was refused is checked again", async () => {
    const token = await signed({ nbf: nowSeconds() + 40 });
    expect(await verifier.check(token)).toEqual(rejected("it is not valid yet"));
    clock.advance(10_000);
    expect(await verifier.check(token)).toEqual(alice());
  });
});
