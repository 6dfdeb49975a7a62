import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { type AuthScript, AuthServer } from "../fixtures/oauth/auth-server.ts";
import { AuthorizationServer } from "../server/auth/authorization-server.ts";
import { eventually } from "./harness/conditions.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { textOf, toolNames } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const resource = "https://mcp.example.com/mcp";
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const accessToken = "urn:ietf:params:oauth:token-type:access_token";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const whoami = (server: string): string => `mcp__${server}__whoami`;
const plain = "plain-0123456789abcdef";

let issuer: AuthorizationServer;
beforeAll(async () => {
  issuer = await AuthorizationServer.start();
});
afterAll(() => issuer[Symbol.asyncDispose]());

function tokenOf(sub: string): Promise<string> {
  return issuer.sign({ ...issuer.claims(resource, Date.now()), sub, scope: "tools:use" });
}

/** An upstream server with an authorization server that announces these grants. */
function upstreamWith(grants: readonly string[], script: AuthScript = {}): AuthServer {
  const metadata = {
    grant_types_supported: grants,
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
    ...script.metadata,
  };
  return new AuthServer({ showsLists: true, namesAccount: true, ...script, metadata });
}

/** An MCP server in the file of the user, and what is more in its table `oauth`. */
interface Entry {
  readonly upstream: AuthServer;
  readonly oauth: string;
}

function exchanging(upstream: AuthServer): Entry {
  return { upstream, oauth: `grant = "token-exchange", issuer = "${upstream.origin}"` };
}

/** With these MCP servers by name, whose tools are listed. */
async function start(
  home: TempFolder,
  entries: Readonly<Record<string, Entry>>,
): Promise<HttpServer> {
  const texts = Object.entries(entries).map(([name, { upstream, oauth }]) => {
    const table = `client_id = "us", client_secret = "us-canary", per_user = true, ${oauth}`;
    return `[mcp.servers.${name}]\nurl = "${upstream.url}"\noauth = { ${table} }\n`;
  });
  home.write(".scorpiox/config.toml", texts.join(""));
  const signed = [
    "--jwks",
    issuer.keySetUrl.href,
    "--issuer",
    issuer.issuer,
    "--resource",
    resource,
  ];
  const server = await HttpServer.start({ home, tokens: [`plain ${plain}`], args: signed });
  await eventually("the tools", async () => {
    const listed = toolNames(onlyMessage(await server.modern("tools/list")));
    return Object.keys(entries).every((name) => listed.includes(whoami(name)));
  });
  return server;
}

async function said(server: HttpServer, token: string, name = "guarded"): Promise<string> {
  const call = { name: whoami(name), arguments: {} };
  return textOf(onlyMessage(await server.client.withToken(token).modern("tools/call", call)));
}

test("[team.identity] the token of a client is exchanged for one of the server, which never gets it", async () => {
  using upstream = upstreamWith([exchange]);
  using home = new TempFolder();
  await using server = await start(home, { guarded: exchanging(upstream) });
  const [alice, bob] = [await tokenOf("alice"), await tokenOf("bob")];
  expect([await said(server, alice), await said(server, bob), await said(server, alice)]).toEqual([
    "you are account alice, ***",
    "you are account bob, ***",
    "you are account alice, ***",
  ]);
  const trade = (token: string): object => ({
    authorization: `Basic ${btoa("us:us-canary")}`,
    body: {
      grant_type: exchange,
      subject_token: token,
      subject_token_type: accessToken,
      requested_token_type: accessToken,
      resource: upstream.url,
      scope: "read",
    },
  });
  expect(upstream.to("/token")).toMatchObject([trade(alice), trade(bob)]);
  const others = upstream.requests.filter(({ path }) => path !== "/token");
  expect(JSON.stringify(others)).not.toMatch(/eyJ|us-canary/);
  expect(server.stdout + server.stderr).not.toMatch(/eyJ|-canary/);
  // A client without a signed token has nothing to exchange.
  expect(await said(server, plain)).toContain("works for signed tokens only");
  expect(upstream.to("/token")).toHaveLength(2);
});

test("[team.identity] the company's identity provider grants what the authorization server takes", async () => {
  using provider = new AuthServer({
    exchanged: { access_token: "grant-canary", issued_token_type: idJag, token_type: "N_A" },
  });
  using upstream = upstreamWith([assertion]);
  using home = new TempFolder();
  const idp = `idp_issuer = "${provider.origin}", idp_client_id = "we"`;
  const oauth = `grant = "enterprise", issuer = "${upstream.origin}", ${idp}`;
  await using server = await start(home, { guarded: { upstream, oauth } });
  const alice = await tokenOf("alice");
  expect(await said(server, alice)).toStartWith("you are account 0, ***");
  expect(provider.to("/token")).toMatchObject([
    {
      body: {
        grant_type: exchange,
        requested_token_type: idJag,
        audience: upstream.origin,
        resource: upstream.url,
        subject_token: alice,
        subject_token_type: accessToken,
      },
    },
  ]);
  expect(upstream.to("/token")).toMatchObject([
    { body: { grant_type: assertion, assertion: "grant-canary", resource: upstream.url } },
  ]);
  expect(JSON.stringify(upstream.requests)).not.toContain("eyJ");
});

describe("[team.identity] nothing is exchanged", () => {
  const rows: readonly (readonly [
    name: string,
    what: string,
    grants: readonly string[],
    script: AuthScript,
    text: string,
  ])[] = [
    ["other", "does not announce it", ["authorization_code"], {}, "does not announce"],
    [
      "silent",
      "announces nothing",
      [],
      { metadata: { grant_types_supported: undefined } },
      "does not announce",
    ],
    [
      "refusing",
      "refuses",
      [exchange],
      { refuseGrant: [400, "invalid_grant"] },
      "refuses: invalid_grant",
    ],
    [
      "echoing",
      "gives the same token back",
      [exchange],
      { echoes: true },
      "which no MCP server may get",
    ],
    [
      "strange",
      "gives another kind of token",
      [exchange],
      { exchanged: { access_token: "x", issued_token_type: "y", token_type: "Bearer" } },
      "the requested kind of token",
    ],
  ];
  const upstreams = new Map<string, AuthServer>();
  const home = new TempFolder();
  let evil: AuthServer;
  let server: HttpServer;
  beforeAll(async () => {
    evil = upstreamWith([exchange]);
    for (const [name, , grants, script] of rows) upstreams.set(name, upstreamWith(grants, script));
    const leading = { resource: { authorization_servers: [evil.origin] } };
    upstreams.set("led", upstreamWith([exchange], leading));
    const entries = [...upstreams].map(([name, upstream]) => [name, exchanging(upstream)] as const);
    server = await start(home, Object.fromEntries(entries));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    for (const upstream of [evil, ...upstreams.values()]) upstream[Symbol.dispose]();
    home[Symbol.dispose]();
  });

  function requestsTo(name: string, path: string): readonly unknown[] {
    return upstreams.get(name)?.to(path) ?? ["no such server"];
  }

  test.each(rows)(
    "by the server %s: where the authorization server %s",
    async (name, _what, _grants, _script, text) => {
      expect(await said(server, await tokenOf("alice"), name)).toContain(text);
      expect(requestsTo(name, "/token").length).toBe(text.includes("announce") ? 0 : 1);
      expect(JSON.stringify(requestsTo(name, "/mcp"))).not.toContain("eyJ");
    },
  );

  test("by an authorization server that the entry does not name, which gets no token", async () => {
    expect(await said(server, await tokenOf("alice"), "led")).toContain("is not sent elsewhere");
    expect([evil.to("/token"), requestsTo("led", "/token")]).toEqual([[], []]);
  });
});
