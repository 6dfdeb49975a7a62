import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac, KeyObject, sign } from "node:crypto";

import { exportSPKI, importJWK, type JWTPayload } from "jose";

import {
  AuthorizationServer,
  createSigningKey,
  type KeysBehaviour,
  type SigningKey,
} from "../server/auth/authorization-server.ts";
import { mirrored, modernMessage } from "./harness/http-client.ts";
import { RawConnection } from "./harness/http-raw.ts";
import { HttpServer } from "./harness/http-server.ts";
import { testMsMax } from "./harness/platform.ts";
import { isLongRun } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

const resource = "https://mcp.example.com/mcp";
const list = modernMessage(1, "tools/list");
const good = `static-0123456789abcdef`;

/** The keys that this server believes, with a key of an attacker's own beside. */
let issuer: AuthorizationServer;
let evil: AuthorizationServer;
let rsa: SigningKey;
let server: HttpServer;

function start(jwks: AuthorizationServer, args: readonly string[] = []): Promise<HttpServer> {
  const from = ["--jwks", jwks.keySetUrl.href, "--issuer", jwks.issuer, "--resource", resource];
  return HttpServer.start({ tokens: [`admin ${good}`], args: [...from, ...args] });
}

beforeAll(async () => {
  [issuer, evil] = [await AuthorizationServer.start(), await AuthorizationServer.start()];
  rsa = await createSigningKey("rsa", "RS256");
  issuer.published = [issuer.key.publicJwk, rsa.publicJwk];
  await evil.rotate("first");
  server = await start(issuer, ["--tool-scopes", "Bash=tools:exec,*=tools:use"]);
});
afterAll(async () => {
  for (const each of [server, issuer, evil]) await each[Symbol.asyncDispose]();
});

interface Reply {
  readonly status: number;
  readonly challenge: string;
  readonly tools: readonly string[];
}

async function ask(
  to: HttpServer,
  authorization: string | undefined,
  path = "/mcp",
): Promise<Reply> {
  const headers = { ...mirrored(list), authorization };
  const response = await to.client
    .withToken("")
    .fetch({ path, headers, body: JSON.stringify(list) });
  const text = await response.text();
  const tools = [...text.matchAll(/"name":"(Bash|BackgroundBash|ReadDocs)"/g)];
  return {
    status: response.status,
    challenge: response.headers.get("www-authenticate") ?? "",
    tools: tools.map(([, name = ""]) => name),
  };
}

const claims = (changes: object = {}): JWTPayload => ({
  ...issuer.claims(resource, Date.now()),
  scope: "tools:use",
  ...changes,
});
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
/** A token of any text, with the signature that a secret gives it. */
function hmac(header: object, secret: string | Uint8Array, payload: unknown = claims()): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}
const pemOf = async (key: SigningKey): Promise<string> =>
  exportSPKI((await importJWK(key.publicJwk, key.alg, { extractable: true })) as CryptoKey);
const signed = (changes: object = {}, header: object = {}, key?: SigningKey): Promise<string> =>
  issuer.sign(claims(changes), { header: { ...header }, ...(key === undefined ? {} : { key }) });

/** By who has the key, of what a library would not sign. @param payload as JSON */
function raw(header: object, payload: string): string {
  const head = encode({ alg: "ES256", kid: "first", ...header });
  const input = `${head}.${Buffer.from(payload).toString("base64url")}`;
  const key = { key: KeyObject.from(issuer.key.privateKey), dsaEncoding: "ieee-p1363" as const };
  return `${input}.${sign("sha256", Buffer.from(input), key).toString("base64url")}`;
}

type Forge = () => string | Promise<string>;

/** By nobody who has a key. */
const forged: readonly (readonly [name: string, forge: Forge])[] = [
  ...["none", "None", "NONE", "nOnE", ""].map((alg): [string, Forge] => [
    `alg ${JSON.stringify(alg)}`,
    () => `${encode({ alg, kid: "first" })}.${encode(claims())}.`,
  ]),
  [
    "alg none with somebody's signature",
    async () => {
      const [, , signature] = (await signed()).split(".");
      return `${encode({ alg: "none" })}.${encode(claims())}.${signature}`;
    },
  ],
  [
    "HS256 by the PEM of the public key",
    async () => hmac({ alg: "HS256", kid: "rsa" }, await pemOf(rsa)),
  ],
  [
    "HS256 by the PEM without its last line",
    async () => hmac({ alg: "HS256", kid: "rsa" }, (await pemOf(rsa)).trim()),
  ],
  ["HS256 by the modulus", () => hmac({ alg: "HS256", kid: "rsa" }, rsa.publicJwk.n ?? "")],
  ["HS256 by nothing", () => hmac({ alg: "HS256", kid: "first" }, "")],
  ["HS512 with the name of HS256", () => hmac({ alg: "HS512" }, "")],
  ["an algorithm that is a list", () => hmac({ alg: ["RS256"] }, "")],
  ["another key under the same id", () => evil.sign(claims())],
  [
    "a key that it brings along",
    () => evil.sign(claims(), { header: { jwk: evil.key.publicJwk } }),
  ],
  ["jku", () => evil.sign(claims(), { header: { jku: evil.keySetUrl.href } })],
  ["x5u", () => evil.sign(claims(), { header: { x5u: evil.keySetUrl.href } })],
  ["x5c", () => evil.sign(claims(), { header: { x5c: ["MIIB"] } })],
  evilPath("../../../../dev/null"),
  evilPath("/dev/null"),
  evilPath("file:///dev/null"),
  evilPath("' OR 1=1 --"),
  evilPath("__proto__"),
  evilPath("\u0000"),
  evilPath(""),
  evilPath("k".repeat(4_000)),

  [
    "kid of the attacker's address",
    () => evil.sign(claims(), { header: { kid: evil.keySetUrl.href } }),
  ],
  ["kid that is a number", () => evil.sign(claims(), { header: { kid: 1 } })],
  ["kid that is a list", () => evil.sign(claims(), { header: { kid: ["first"] } })],
  ["kid of another kind of key", () => signed({}, { kid: "rsa" })],
  ["an unknown part that is critical", () => signed({}, { crit: ["x"], x: 1 })],
  ["critical parts that are none", () => raw({ crit: [] }, JSON.stringify(claims()))],
  [
    "a payload that is not encoded",
    () => raw({ b64: false, crit: ["b64"] }, JSON.stringify(claims())),
  ],
  [
    "claims changed behind the signature",
    async () => {
      const [header, , signature] = (await signed()).split(".");
      return `${header}.${encode(claims({ scope: "tools:use tools:exec" }))}.${signature}`;
    },
  ],
  [
    "a header changed behind the signature",
    async () => {
      const [, payload, signature] = (await signed()).split(".");
      return `${encode({ alg: "ES256", kid: "first", typ: "at+jwt" })}.${payload}.${signature}`;
    },
  ],
  [
    "a signature of zeros",
    () => `${encode({ alg: "ES256", kid: "first" })}.${encode(claims())}.${"A".repeat(86)}`,
  ],
  ["no signature", async () => (await signed()).replace(/[^.]*$/, "")],
  ["five parts", async () => `${await signed()}.x.y`],
  [
    "a JSON serialisation",
    async () => {
      const [header, payload, signature] = (await signed()).split(".");
      return Buffer.from(JSON.stringify({ protected: header, payload, signature })).toString(
        "base64url",
      );
    },
  ],
];

function evilPath(kid: string): [string, Forge] {
  return [
    `kid ${JSON.stringify(kid.slice(0, 30))}`,
    () => evil.sign(claims(), { header: { kid } }),
  ];
}

/** By who has the key, for something else. */
const misused: readonly (readonly [name: string, forge: Forge])[] = [
  ["over since a minute", () => signed({ exp: seconds(-60) })],
  ["without an end", () => signed({ exp: undefined })],
  ["with an end that is a text", () => signed({ exp: String(seconds(600)) })],
  ["with an end that is null", () => signed({ exp: null })],
  ["valid in a minute", () => signed({ nbf: seconds(60) })],
  ["valid from a text on", () => signed({ nbf: "0" })],
  ["without an audience", () => signed({ aud: undefined })],
  ["for nobody", () => signed({ aud: [] })],
  ["for another server", () => signed({ aud: "https://other.example/mcp" })],
  ["for a longer address", () => signed({ aud: `${resource}/x` })],
  ["for the same with a slash", () => signed({ aud: `${resource}/` })],
  ["for the same in capitals", () => signed({ aud: resource.toUpperCase() })],
  ["for a part of it", () => signed({ aud: "https://mcp.example.com" })],
  ["for an object", () => signed({ aud: { 0: resource } })],
  ["for a list in a list", () => signed({ aud: [[resource]] })],
  ["by its issuer with a slash", () => signed({ iss: `${issuer.issuer}/` })],
  ["by its issuer in a list", () => signed({ iss: [issuer.issuer] })],
  ["by nobody", () => signed({ iss: undefined })],
  ["of nobody", () => signed({ sub: undefined })],
  ["of a number", () => signed({ sub: 7 })],
  ["of a name with a line break", () => signed({ sub: "alice\nroot" })],
  ["of a name that turns round", () => signed({ sub: "alice\u202eroot" })],
  ["of a long name", () => signed({ sub: "a".repeat(256) })],
  ["bound to a key", () => signed({ cnf: { jkt: "x" } })],
  ["of another kind: an identity", () => signed({}, { typ: "id_token+jwt" })],
  ["of another kind: a proof", () => signed({}, { typ: "dpop+jwt" })],
  ["of another kind: a logout", () => signed({}, { typ: "logout+jwt" })],
];

const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;

describe("[http.tokens-forged] a token", () => {
  test.each([...forged])("forged: %s", async (_, forge) => {
    const { status, challenge, tools } = await ask(server, `Bearer ${await forge()}`);
    expect([status, tools]).toEqual([401, []]);
    expect(challenge).toContain('error="invalid_token"');
  });

  test.each([...misused])("for something else: %s", async (_, forge) => {
    const { status, challenge, tools } = await ask(server, `Bearer ${await forge()}`);
    expect([status, tools]).toEqual([401, []]);
    expect(challenge).toContain('error="invalid_token"');
  });

  test.each<[string, Forge, number]>([
    ["too long", () => signed({ x: "x".repeat(8_000) }), 400],
    ["longer than any header", () => "a".repeat(200_000), 431],
    ["two with a comma", async () => `${await signed()}, Bearer ${good}`, 400],
    ["two with a blank", async () => `${await signed()} ${good}`, 400],
    ["with a tab", async () => `\t${await signed()}`, 400],
  ])("%s", async (_, forge, status) => {
    const reply = await ask(server, `Bearer ${await forge()}`);
    expect([reply.status, reply.tools]).toEqual([status, []]);
  });

  test("the address of nobody's choice is asked: keys come from one place", () => {
    expect(evil.requests).toBe(0);
  });

  test("a flood of unknown keys has them fetched once more, and holds up nobody", async () => {
    const before = issuer.requests;
    const flood = Array.from({ length: 200 }, async (_, index) =>
      ask(server, `Bearer ${await evil.sign(claims(), { header: { kid: `k${index}` } })}`),
    );
    const own = await ask(server, `Bearer ${await signed()}`);
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
    expect([own.status, [...statuses]]).toEqual([200, [401]]);
    expect(issuer.requests - before).toBeLessThanOrEqual(1);
  });

  test.each<[string, unknown, readonly string[]]>([
    ["none", undefined, []],
    ["a text", "tools:use", ["ReadDocs"]],
    ["all", "tools:use tools:exec", ["Bash", "BackgroundBash", "ReadDocs"]],
    ["a star", "*", []],
    ["a list with a list", [["tools:exec"], "tools:use"], ["ReadDocs"]],
    ["an object", { "tools:exec": true }, []],
    ["in capitals", "TOOLS:EXEC tools:use", ["ReadDocs"]],
    ["with a comma", "tools:use,tools:exec", []],
    ["with a prefix", "xtools:exec tools:use", ["ReadDocs"]],
    ["with other blanks", "tools:use\u00a0tools:exec", []],
  ])("opens the tools of its scopes alone: %s", async (_, scope, tools) => {
    const reply = await ask(server, `Bearer ${await signed({ scope })}`);
    expect([reply.status, [...reply.tools].sort()]).toEqual([200, [...tools].sort()]);
  });

  test("of two claims of one name the last counts", async () => {
    const { aud: _, ...others } = claims();
    const rest = JSON.stringify(others).slice(1, -1);
    const audiences = (first: string, last: string): string =>
      raw({}, `{"aud":"${first}",${rest},"aud":"${last}"}`);
    const other = "https://other.example/mcp";
    const tokens = [audiences(resource, other), audiences(other, resource)];
    const replies = await Promise.all(tokens.map((token) => ask(server, `Bearer ${token}`)));
    expect(replies.map(({ status }) => status)).toEqual([401, 200]);
  });

  test("of two Authorization headers none counts", async () => {
    const lines = [`Bearer ${good}`, `Bearer ${await signed()}`].map(
      (value) => `Authorization: ${value}\r\n`,
    );
    const body = JSON.stringify(list);
    const mirror = Object.entries(mirrored(list)).map(([name, value]) => `${name}: ${value}\r\n`);
    const statuses: number[] = [];
    for (const both of [lines, lines.toReversed(), [lines[0], lines[0]]]) {
      using connection = new RawConnection(server.url);
      connection.write(
        `POST /mcp HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n${both.join("")}${mirror.join("")}` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      statuses.push(await connection.status());
    }
    expect(statuses).toEqual([400, 400, 400]);
  });
});

/** More than any key set, from almost nothing on the wire. */
const bomb = Bun.gzipSync(Buffer.alloc(100_000_000, 32));
const endless = (): Response =>
  new Response(
    new ReadableStream({
      async pull(controller) {
        await Bun.sleep(0);
        controller.enqueue(new Uint8Array(1_000_000).fill(32));
      },
    }),
  );
const saying = (body: unknown): KeysBehaviour => ({
  kind: "answer",
  respond: () => Response.json(body),
});

describe("[http.tokens-forged] keys", () => {
  const rows: readonly (readonly [string, () => KeysBehaviour, number])[] = [
    [
      "are elsewhere",
      () => ({ kind: "answer", respond: () => Response.redirect(evil.keySetUrl.href, 302) }),
      503,
    ],
    ["never end", () => ({ kind: "answer", respond: endless }), 503],
    [
      "are 100 MB when unpacked",
      () => ({
        kind: "answer",
        respond: () => new Response(bomb, { headers: { "content-encoding": "gzip" } }),
      }),
      503,
    ],
    ["are never said", () => ({ kind: "silent" }), 503],
    ["are no JSON", () => ({ kind: "answer", respond: () => new Response("<html>") }), 503],
    ["are null", () => saying(null), 503],
    ["are a list", () => saying([]), 503],
    ["are an object", () => saying({ keys: { first: issuer.key.publicJwk } }), 503],
    ["are none", () => saying({ keys: [] }), 503],
    ["are no objects", () => saying({ keys: [null, 1, "x"] }), 503],
    [
      "are of kinds that nobody knows",
      () => saying({ keys: [{ kty: "?" }, { kid: "first" }] }),
      401,
    ],
    [
      "are a secret that all know",
      () => saying({ keys: [{ kty: "oct", k: "AAAA", kid: "first" }] }),
      401,
    ],
    ["are for encryption", () => saying({ keys: [{ ...issuer.key.publicJwk, use: "enc" }] }), 401],
    [
      "are for another algorithm",
      () => saying({ keys: [{ ...issuer.key.publicJwk, alg: "ES384" }] }),
      401,
    ],
    [
      "are two of one name",
      () => saying({ keys: [issuer.key.publicJwk, evil.key.publicJwk] }),
      401,
    ],
  ];
  // What a key set is read for is tested without the executable; in the suite every second one shows that it is.
  const tried = rows.filter((_row, index) => isLongRun || index % 2 === 0);

  test.each(tried)(
    "that %s open nothing, and static tokens still count",
    async (_, behaviour, status) => {
      await using other = await AuthorizationServer.start();
      other.behaviour = behaviour();
      await using own = await start(other);
      const mine = { ...claims(), iss: other.issuer };
      const [byKey, byMine, still] = await Promise.all([
        ask(own, `Bearer ${await issuer.sign(mine)}`),
        ask(own, `Bearer ${hmac({ alg: "HS256", kid: "first" }, Buffer.alloc(3), mine)}`),
        ask(own, `Bearer ${good}`),
      ]);
      expect([byKey.status, still.status]).toEqual([status, 200]);
      expect(byMine.status).toBe(401);
    },
  );
});
