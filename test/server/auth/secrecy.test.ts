import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { Authorizer } from "../../../src/server/auth/authorizer.ts";
import { JwtVerifier } from "../../../src/server/auth/jwt-verifier.ts";
import { readTokenLines, StaticTokens } from "../../../src/server/auth/static-tokens.ts";
import { AuthorizationServer, type KeysBehaviour } from "./authorization-server.ts";

/** Long enough that none is a word of ours by chance. */
const word = fc.stringMatching(/^[A-Za-z0-9\-._~+/]{24,60}$/);
const audience = "https://mcp.example.com/mcp";

const header = fc.oneof(
  fc.constant(undefined),
  word.map((text) => `Bearer ${text}`),
  word.map((text) => `Basic ${text}`),
  word.map((text) => `Bearer "${text}"`),
  fc.tuple(word, word).map((pair) => `Bearer ${pair.join(", Bearer ")}`),
  fc.tuple(word, word, word).map((parts) => `Bearer ${parts.join(".")}`),
  // With a header that can be read, so that the rest is looked at.
  word.map((text) => `Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6ImZpcnN0In0.${text}.${text}`),
);
const query = fc.oneof(
  fc.constant(""),
  word.map((text) => `?access_token=${text}`),
  word.map((text) => `?token=${text}`),
);

/** The parts of what was sent that would give something away. */
function partsOf(sent: string): string[] {
  return sent.split(/[\s.,"=?]+/).filter((part) => part.length >= 13);
}

describe("Authorizer: nothing of a token is in an answer or a warning", () => {
  let server: AuthorizationServer;
  beforeAll(async () => {
    server = await AuthorizationServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  function create(tokens?: StaticTokens): { authorizer: Authorizer; warnings: string[] } {
    const warnings: string[] = [];
    const { issuer, keySetUrl } = server;
    const warn = (message: string): unknown => warnings.push(message);
    const jwt = new JwtVerifier({ issuer, keySetUrl, audiences: [audience], warn });
    return { authorizer: new Authorizer({ kind: "protected", tokens, jwt }), warnings };
  }

  const request = (authorization?: string, search = "") => ({
    url: `/mcp${search}`,
    headers: new Headers(authorization === undefined ? {} : { authorization }),
  });

  test.each<[string, KeysBehaviour]>([
    ["there", { kind: "keys" }],
    ["gone", { kind: "answer", respond: () => new Response("", { status: 500 }) }],
  ])("U-oauth: whatever is sent, while the keys are %s", async (_, behaviour) => {
    server.behaviour = behaviour;
    const { authorizer, warnings } = create();
    await fc.assert(
      fc.asyncProperty(header, query, async (value, search) => {
        const answer = await authorizer.authorize(request(value, search));
        expect(answer.kind).toBe("refused");
        const said = JSON.stringify([answer, warnings]);
        expect(partsOf(`${value} ${search}`).filter((part) => said.includes(part))).toEqual([]);
      }),
    );
    server.behaviour = { kind: "keys" };
  });

  test("U-oauth: a signed token that is refused for its claims", async () => {
    const { authorizer, warnings } = create();
    const claims = fc.record(
      { iss: word, aud: word, sub: word, scope: word, exp: fc.constantFrom(1, 4e9), nbf: word },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(claims, async (changes) => {
        const token = await server.sign({ sub: "me", ...changes } as never);
        const answer = await authorizer.authorize(request(`Bearer ${token}`));
        expect(answer.kind).toBe("refused");
        const said = JSON.stringify([answer, warnings]);
        const secrets = [...partsOf(token), ...Object.values(changes).filter(isText)];
        expect(secrets.filter((part) => said.includes(part))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test("a static token that is taken gives a principal without it", async () => {
    await fc.assert(
      fc.asyncProperty(word, async (token) => {
        const { tokens: list } = readTokenLines(token, "f");
        const { authorizer } = create(new StaticTokens({ current: () => list }));
        const answer = await authorizer.authorize(request(`Bearer ${token}`));
        expect(answer).toEqual({
          kind: "ok",
          principal: { id: "token:default", label: "default", scopes: undefined },
        });
      }),
    );
  });
});

function isText(value: unknown): value is string {
  return typeof value === "string";
}
