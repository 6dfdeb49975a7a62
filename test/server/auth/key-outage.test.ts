import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";

import { JwtVerifier, type TokenCheck } from "../../../src/server/auth/jwt-verifier.ts";
import { until } from "../../commands/process/until.ts";
import { AuthorizationServer, type KeysBehaviour } from "./authorization-server.ts";
import { TestClock } from "./test-clock.ts";

const audience = "https://mcp.example.com/mcp";
const unavailable: TokenCheck = { kind: "unavailable", retryAfterMs: 5000 };
const unknownKey: TokenCheck = {
  kind: "rejected",
  reason: "its key is not one of the authorization server",
};

let server: AuthorizationServer;
let clock: TestClock;
let warnings: string[];
let verifier: JwtVerifier;
let alice: TokenCheck;

beforeEach(async () => {
  server = await AuthorizationServer.start();
  clock = new TestClock();
  warnings = [];
  verifier = createVerifier(server.keySetUrl);
  alice = {
    kind: "accepted",
    principal: {
      id: `jwt:${server.issuer}|alice`,
      scopes: new Set<string>(),
      issuer: server.issuer,
      sub: "alice",
    },
  };
});
afterEach(() => server[Symbol.asyncDispose]());

/** Without a time to fetch that would matter, unless a test gives one. */
function createVerifier(keySetUrl: URL, fetchMsMax = 60_000): JwtVerifier {
  const warn = (message: string): unknown => warnings.push(message);
  const { issuer } = server;
  return new JwtVerifier({ issuer, audiences: [audience], keySetUrl, warn, clock, fetchMsMax });
}

let tokens = 0;
/** A token that was not seen before, signed with the key in use. */
async function newToken(): Promise<string> {
  return server.sign({ ...server.claims(audience, clock.wallMs()), jti: String(++tokens) });
}

const check = async (): Promise<TokenCheck> => verifier.check(await newToken());
const answer = (respond: () => Response): KeysBehaviour => ({ kind: "answer", respond });
const down = answer(() => new Response("down", { status: 500 }));

describe("keys of the authorization server: rotation", () => {
  test("U-oauth: a key that appears is fetched with the first token that names it", async () => {
    expect(await check()).toEqual(alice);
    await server.rotate("second", true);
    clock.advance(30_000);
    expect(await check()).toEqual(alice);
    expect(server.requests).toBe(2);
  });

  test("U-oauth: strangers cannot make us ask more often than every 30 s", async () => {
    expect(await check()).toEqual(alice);
    await server.rotate("second");
    const { published } = server;
    server.published = [];
    for (const afterMs of [0, 29_999]) {
      clock.advance(afterMs);
      expect(await check()).toEqual(unknownKey);
    }
    expect(server.requests).toBe(1);
    server.published = published;
    clock.advance(1);
    expect(await check()).toEqual(alice);
    expect(server.requests).toBe(2);
  });

  test("U-oauth: a withdrawn key counts no longer than ten minutes", async () => {
    const { key } = server;
    expect(await check()).toEqual(alice);
    await server.rotate("second");
    server.key = key;
    clock.advance(10 * 60_000);
    expect(await check()).toEqual(alice);
    clock.advance(1);
    expect(await check()).toEqual(unknownKey);
  });

  test("many tokens at once are one question", async () => {
    const several = await Promise.all(Array.from({ length: 50 }, newToken));
    const results = await Promise.all(several.map(async (token) => verifier.check(token)));
    expect(results).toEqual(several.map(() => alice));
    expect(server.requests).toBe(1);
  });
});

describe("keys of the authorization server: outage", () => {
  const huge = JSON.stringify({ keys: [], padding: "x".repeat(262_144) });
  const failures: [string, KeysBehaviour, string][] = [
    ["an error", down, "the answer has status 500"],
    [
      "a redirect to elsewhere",
      answer(() => Response.redirect("http://127.0.0.1:9/keys", 302)),
      "the answer has status 302; redirects are not followed",
    ],
    [
      "a redirect to itself",
      answer(() => Response.redirect("/keys", 307)),
      "the answer has status 307; redirects are not followed",
    ],
    ["a huge answer", answer(() => new Response(huge)), "it is larger than 262144 bytes"],
    [
      "a huge answer, compressed",
      answer(() => new Response(gzipSync(huge), { headers: { "content-encoding": "gzip" } })),
      "it is larger than 262144 bytes",
    ],
    [
      "an endless answer",
      answer(() => new Response(endlessBody())),
      "it is larger than 262144 bytes",
    ],
    ["something else than JSON", answer(() => new Response("<html>")), "the document is not JSON"],
    [
      "invalid UTF-8",
      answer(() => new Response(Buffer.from([0x22, 0xff, 0x22]))),
      "the document is not JSON",
    ],
    ["no key set", answer(() => Response.json({ key: 1 })), "JSON Web Key Set malformed"],
    ["no keys", answer(() => Response.json({ keys: [] })), "it has no keys"],
  ];

  test.each(failures)("U-oauth: %s is 503, not 401", async (_, behaviour, reason) => {
    server.behaviour = behaviour;
    expect(await check()).toEqual(unavailable);
    expect(await check()).toEqual(unavailable);
    expect(warnings).toEqual([
      `Cannot fetch signing keys from ${server.keySetUrl.href}: ${reason}. ` +
        "Signed tokens get status 503 until then.",
    ]);
    expect(server.requests).toBe(1);
  });

  test.each([
    ["a silent server", { kind: "silent" } as const],
    ["a server that stops in the middle", answer(() => new Response(stalledBody()))],
  ])("U-oauth: %s is given up after the time to fetch", async (_, behaviour) => {
    verifier = createVerifier(server.keySetUrl, 50);
    server.behaviour = behaviour;
    expect(await check()).toEqual(unavailable);
    expect(warnings).toEqual([
      `Cannot fetch signing keys from ${server.keySetUrl.href}: no answer within 50 ms. ` +
        "Signed tokens get status 503 until then.",
    ]);
  });

  test("a closed port is 503", async () => {
    const token = await newToken();
    await server[Symbol.asyncDispose]();
    expect(await verifier.check(token)).toEqual(unavailable);
    expect(warnings).toEqual([
      `Cannot fetch signing keys from ${server.keySetUrl.href}: it cannot be reached (ECONNREFUSED). ` +
        "Signed tokens get status 503 until then.",
    ]);
  });

  test("after a failure the server is asked again after 5 s, not before", async () => {
    server.behaviour = down;
    expect(await check()).toEqual(unavailable);
    server.behaviour = { kind: "keys" };
    clock.advance(4999);
    expect(await check()).toEqual(unavailable);
    clock.advance(1);
    expect(await check()).toEqual(alice);
    expect(warnings[1]).toBe(`The signing keys at ${server.keySetUrl.href} are available again.`);
  });

  test("U-oauth: the last keys are used for an hour, then no token can be checked", async () => {
    expect(await check()).toEqual(alice);
    server.behaviour = down;
    clock.advance(60 * 60_000);
    expect(await check()).toEqual(alice);
    expect(warnings).toEqual([
      `Cannot fetch signing keys from ${server.keySetUrl.href}: the answer has status 500. ` +
        "The last ones are used for up to 60 minutes.",
    ]);
    clock.advance(1);
    expect(await check()).toEqual(unavailable);
  });

  test("a server that is known to be down keeps no request waiting while its last keys count", async () => {
    expect(await check()).toEqual(alice);
    server.behaviour = down;
    clock.advance(10 * 60_000 + 1);
    expect(await check()).toEqual(alice);
    server.behaviour = { kind: "silent" };
    clock.advance(5000);
    expect(await check()).toEqual(alice);
    await until(() => server.requests === 3);
  });

  test("during an outage a token of an unknown key is 503: the key may be a new one", async () => {
    expect(await check()).toEqual(alice);
    await server.rotate("second");
    server.behaviour = down;
    clock.advance(30_000);
    expect(await check()).toEqual(unavailable);
  });

  test("a proxy that the environment names does not see the question", async () => {
    const before = process.env["http_proxy"];
    process.env["http_proxy"] = "http://127.0.0.1:9";
    try {
      expect(await check()).toEqual(alice);
    } finally {
      if (before === undefined) delete process.env["http_proxy"];
      else process.env["http_proxy"] = before;
    }
  });
});

function endlessBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
}

function stalledBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"keys":[')),
    pull: () => new Promise<void>(() => {}),
  });
}
