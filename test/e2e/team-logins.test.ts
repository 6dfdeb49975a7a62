import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { type AuthScript, AuthServer } from "../fixtures/oauth/auth-server.ts";
import { Browser, type Page } from "../fixtures/oauth/browser.ts";
import { eventually } from "./harness/conditions.ts";
import { type HttpClient, onlyMessage } from "./harness/http-client.ts";
import { HttpServer, type HttpServerOptions } from "./harness/http-server.ts";
import { textOf, toolNames } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { type Ended, runProduct } from "./harness/run-product.ts";
import { testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const alice = "alice-0123456789abcdef";
const bob = "bob-0123456789abcdefgh";
const whoami = "mcp__guarded__whoami";

/** A team's server, and an upstream server to which each of the team logs in. */
class Team implements AsyncDisposable {
  readonly upstream: AuthServer;
  readonly home = new TempFolder();
  readonly #options: HttpServerOptions;
  #server: HttpServer | undefined;

  constructor(script: AuthScript = {}, oauth = "per_user = true", options: HttpServerOptions = {}) {
    this.upstream = new AuthServer({ showsLists: true, namesAccount: true, ...script });
    this.#options = options;
    const entry = `[mcp.servers.guarded]\nurl = "${this.upstream.url}"\noauth = { ${oauth} }\n`;
    this.home.write(".scorpiox/config.toml", entry);
    this.home.write("keys/secrets-key", randomBytes(32).toString("base64"), 0o600);
  }

  get server(): HttpServer {
    if (this.#server === undefined) throw new Error("it has not started");
    return this.#server;
  }

  async start(): Promise<this> {
    this.#server = await HttpServer.start({
      home: this.home,
      keepsFiles: true,
      tokens: [`alice ${alice}`, `bob ${bob}`],
      ...this.#options,
      env: { SECRETS_KEY_FILE: this.home.at("keys/secrets-key"), ...this.#options.env },
    });
    await eventually("the tool", async () => {
      const listed = onlyMessage(await this.server.modern("tools/list"));
      return toolNames(listed).includes(whoami);
    });
    return this;
  }

  /** Starts it again in the same home. @param keys of its file; absent: the same ones */
  async restart(keys?: readonly string[]): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    if (keys !== undefined) this.home.write("keys/secrets-key", keys.join("\n"), 0o600);
    await this.start();
  }

  /** Without `--resource` browsers reach each process at its own address. */
  async ownLogins(): Promise<string> {
    const [url] = await this.server.ownUrls();
    return new URL("/oauth/logins", url).href;
  }

  as(token: string): HttpClient {
    return this.server.client.withToken(token);
  }

  /** The accounts that there are at the upstream server: each login there makes the next one. */
  get accounts(): number {
    return this.upstream.to("/authorize").length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.upstream[Symbol.dispose]();
    this.home[Symbol.dispose]();
  }
}

async function said(client: HttpClient): Promise<string> {
  return textOf(onlyMessage(await client.modern("tools/call", { name: whoami, arguments: {} })));
}

/** Files of the server in which this is read. */
function filesWith(home: TempFolder, text: string): readonly string[] {
  const entries = readdirSync(home.path, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => readFileSync(path, "latin1").includes(text));
}

function isCall({ body }: { readonly body: Readonly<Record<string, unknown>> }): boolean {
  return body["method"] === "tools/call";
}

/** A browser of the operator, who says yes to everything. */
function browserScript(home: TempFolder): string {
  return home.write("browser.ts", `#!${process.execPath}\nawait fetch(process.argv[2]);\n`, 0o755);
}

function tokenOf(name: string): string {
  return `${name}-0123456789abcdef`;
}

/** Lines of a token file. */
function peopleOf(names: string): readonly string[] {
  return names.split(" ").map((name) => `${name} ${tokenOf(name)}`);
}

function sentBy(name: string): { readonly headers: { readonly authorization: string } } {
  return { headers: { authorization: `Bearer ${tokenOf(name)}` } };
}

function isAccount(number: number): string {
  return `you are account ${number}, ***`;
}

function linkIn(text: string): string {
  return /http\S+\/oauth\/login\?request=[\w-]{43}/.exec(text)?.[0] ?? `no link in: ${text}`;
}

/** For tests that look at people of their own only, who log in in that test. */
describe("a team", () => {
  let team: Team;
  let usual: AuthScript;
  beforeAll(async () => {
    const tokens = peopleOf("ann bea cid dan eve fay gus hal ian joe kim leo mia");
    team = await new Team({}, "per_user = true", { tokens }).start();
    usual = team.upstream.script;
  });
  afterEach(() => {
    team.upstream.script = usual;
  });
  afterAll(() => team[Symbol.asyncDispose]());

  test("[team.logins] a client that shows no addresses gets a link, and each of two users has its own account", async () => {
    const [one, two] = [team.as(tokenOf("ann")), team.as(tokenOf("bea"))];
    const before = team.accounts;
    const wanted = await said(one);
    expect(wanted).toStartWith(
      "The server guarded wants a login of ann. Open this page in a browser",
    );
    // The same link until it is used.
    expect(linkIn(await said(one))).toBe(linkIn(wanted));
    const page = await new Browser().logIn(linkIn(wanted));
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining("ann is logged in to guarded now."),
    ]);
    expect(await said(one)).toBe(isAccount(before + 1));

    const second = linkIn(await said(two));
    await new Browser().logIn(second);
    expect([await said(two), await said(one)]).toEqual([
      isAccount(before + 2),
      isAccount(before + 1),
    ]);
  });

  test("[team.logins] a login that one server has lost is asked for again, and no other user notices", async () => {
    const [one, two] = [team.as(tokenOf("gus")), team.as(tokenOf("hal"))];
    const before = team.accounts;
    for (const client of [one, two]) await new Browser().logIn(linkIn(await said(client)));
    const token = [...team.upstream.tokens.keys()].at(-2) ?? "";
    team.upstream.tokens.delete(token);
    team.upstream.script = { ...usual, refuseRefresh: [400, "invalid_grant"] };
    const again = await said(one);
    expect([linkIn(again), await said(two)]).toEqual([
      expect.stringContaining("/oauth/login?"),
      isAccount(before + 2),
    ]);
    await new Browser().logIn(linkIn(again));
    expect([await said(one), await said(two)]).toEqual([
      isAccount(before + 3),
      isAccount(before + 2),
    ]);
  });

  test("[team.login-pages] name the principal, the server and the place, and work once, in one browser", async () => {
    const link = linkIn(await said(team.as(tokenOf("cid"))));
    const before = team.accounts;
    const { origin } = new URL(link);
    // Programs that look at links do not use it up.
    for (let times = 0; times < 2; times++) await new Browser().open(link);
    const browser = new Browser();
    const page = await browser.open(link, "https://mail.example/");
    for (const text of ["cid", "guarded", new URL(team.upstream.url).host, new URL(link).host]) {
      expect(page.text).toContain(text);
    }
    const elsewhere = await browser.post(
      `${origin}/oauth/login`,
      { request: "x" },
      "https://evil.example/",
    );
    expect(elsewhere.status).toBe(403);
    const other = new Browser();
    await other.open(link);
    // Made by a page that knows the link: its form has the digest of no cookie of this browser.
    expect((await other.submit(page)).status).toBe(403);
    expect(team.accounts).toBe(before);
    expect((await browser.submit(page)).status).toBe(200);
    expect((await browser.submit(page)).status).toBe(410);
    expect((await new Browser().open(link)).status).toBe(410);
    expect(team.accounts).toBe(before + 1);
  });

  test("[team.login-pages] a browser that did not begin the login cannot end it", async () => {
    const client = team.as(tokenOf("dan"));
    const link = linkIn(await said(client));
    const before = team.upstream.to("/token").length;
    const attacker = new Browser();
    const page = await attacker.open(link);
    team.upstream.script = { ...usual, stopsAtLogin: true };
    const stopped = await attacker.submit(page);
    const victim = await new Browser().open(stopped.text, "https://evil.example/");
    expect([victim.status, victim.text]).toEqual([
      403,
      expect.stringContaining("Not this browser"),
    ]);
    // It was the only try.
    expect((await attacker.open(stopped.text)).status).toBe(410);
    expect(linkIn(await said(client))).toContain("/oauth/login");
    expect(team.upstream.to("/token")).toHaveLength(before);
  });

  test.each<[string, string, AuthScript, string]>([
    ["refuses", "eve", { error: "access_denied" }, "access_denied"],
    ["answers for another server", "fay", { iss: "https://evil.example" }, "The login was aborted"],
  ])(
    "[team.login-pages] an authorization server that %s ends the login",
    async (_, person, script, text) => {
      team.upstream.script = { ...usual, ...script };
      const client = team.as(tokenOf(person));
      const page = await new Browser().logIn(linkIn(await said(client)));
      expect([page.status, page.text]).toEqual([400, expect.stringContaining(text)]);
      expect(linkIn(await said(client))).toContain("/oauth/login");
    },
  );

  describe("a client that shows addresses", () => {
    const capabilities = { elicitation: { url: {} } };
    const clientInfo = { name: "e2e", version: "1" };
    const own = expect.stringMatching(/^you are account \d+, \*\*\*$/) as unknown;

    interface AnyClient {
      callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
    }

    const answer = async (client: AnyClient): Promise<unknown> => {
      const { content } = (await client.callTool({ name: whoami, arguments: {} })) as {
        content: { text: string }[];
      };
      return content[0]?.text;
    };

    /** Opens the page as the person in front of the client does, who says yes first. */
    const visitor =
      (asked: { message: string; url?: unknown }[]) =>
      ({ params }: { params: object }): { action: "accept" } => {
        const shown = params as { message: string; url: string };
        asked.push(shown);
        setTimeout(() => void new Browser().logIn(shown.url), 50);
        return { action: "accept" };
      };

    test("[team.logins] of SDK v1 is asked by URL, and its call goes on", async () => {
      const asked: { message: string; url?: unknown }[] = [];
      const client = new Client1(clientInfo, { capabilities });
      client.setRequestHandler(ElicitRequestSchema, visitor(asked));
      const requestInit = sentBy("ian");
      await client.connect(new Http1(new URL(team.server.url), { requestInit }));
      try {
        const first = await answer(client);
        expect([first, await answer(client)]).toEqual([own, first]);
      } finally {
        await client.close();
      }
      expect(asked).toMatchObject([
        {
          mode: "url",
          message: expect.stringContaining("Log in to guarded as ian."),
          url: expect.any(String),
        },
      ]);
    });

    test("[team.logins] of SDK v2 in the stateless revision is asked by URL, and its call goes on", async () => {
      const asked: { message: string; url?: unknown }[] = [];
      const client = new Client2(clientInfo, {
        capabilities,
        versionNegotiation: { mode: { pin: "2026-07-28" } },
      });
      client.setRequestHandler("elicitation/create", visitor(asked));
      const requestInit = sentBy("joe");
      await client.connect(new Http2(new URL(team.server.url), { requestInit }));
      try {
        expect(await answer(client)).toEqual(own);
      } finally {
        await client.close();
      }
      expect(asked).toMatchObject([{ mode: "url", message: expect.stringContaining("as joe.") }]);
    });

    test.each([["SDK v1"], ["SDK v2"]])(
      "[team.logins] of %s and that shows none gets the link, and calls again after the login",
      async (sdk) => {
        const requestInit = sentBy(sdk === "SDK v1" ? "kim" : "leo");
        const url = new URL(team.server.url);
        const client = sdk === "SDK v1" ? new Client1(clientInfo) : new Client2(clientInfo);
        if (client instanceof Client1) await client.connect(new Http1(url, { requestInit }));
        else await client.connect(new Http2(url, { requestInit }));
        try {
          await new Browser().logIn(linkIn(String(await answer(client))));
          expect(await answer(client)).toEqual(own);
        } finally {
          await client.close();
        }
      },
    );

    test("[team.logins] and declines gets the link, and is not asked again soon", async () => {
      let times = 0;
      const client = new Client1(clientInfo, { capabilities });
      client.setRequestHandler(ElicitRequestSchema, () => {
        times++;
        return { action: "decline" };
      });
      const requestInit = sentBy("mia");
      await client.connect(new Http1(new URL(team.server.url), { requestInit }));
      try {
        const [one, two] = [await answer(client), await answer(client)];
        expect([linkIn(String(one)), times]).toEqual([linkIn(String(two)), 1]);
      } finally {
        await client.close();
      }
    });
  });
});

describe("a team whose pages want a token", () => {
  let team: Team;
  /** A token that may not use the server. */
  let ofOthers: string;
  beforeAll(async () => {
    const tokens = [`alice ${alice}`, `bob ${bob}`, ...peopleOf("dora")];
    team = new Team({}, 'per_user = true, confirm = "token"', { tokens });
    const add = ["token", "add", "carol", "--servers", "other", "--json"];
    const made = await runProduct(team.home, add, { env: testEnvironment(team.home.path) });
    ofOthers = (JSON.parse(made.stdout) as { readonly token: string }).token;
    await team.start();
  });
  afterAll(() => team[Symbol.asyncDispose]());

  test("[team.login-pages] with confirm = token the page wants the principal's own", async () => {
    const client = team.as(alice);
    const before = team.accounts;
    const link = linkIn(await said(client));
    const browser = new Browser();
    for (const token of ["", bob, "nobody-0123456789abcdef"]) {
      const refused = await browser.logIn(link, { token });
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining("not a token of alice"),
      ]);
    }
    expect(team.accounts).toBe(before);
    expect((await browser.logIn(link, { token: alice })).status).toBe(200);
    expect(await said(client)).toBe(isAccount(before + 1));
  });

  test("[team.own-logins] a page shows a person's own, begins them and ends them", async () => {
    const [dora, accounts] = [tokenOf("dora"), team.accounts];
    const page = await team.ownLogins();
    const browser = new Browser();
    const show = async (token: string): Promise<Page> =>
      browser.submit(await browser.open(page), { token });
    for (const token of ["", "nobody-0123456789abcdef"]) {
      const refused = await show(token);
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining(`That is not a token of ${new URL(page).host}.`),
      ]);
    }
    const before = await show(dora);
    expect(before.text).toContain("<h1>Logins of dora</h1>");
    const { host } = new URL(team.upstream.url);
    expect(before.text).toContain(`<b>guarded</b> (${host}): not logged in.`);
    expect((await browser.logIn(linkIn(before.text), { token: dora })).status).toBe(200);
    expect(await said(team.as(dora))).toBe(isAccount(accounts + 1));

    const [mine, others] = [await show(dora), await show(bob)];
    expect(mine.text).toContain(`logged in since ${new Date().toISOString().slice(0, 10)}`);
    expect(others.text).toContain("not logged in.");
    const ended = await browser.submit(mine);
    expect([ended.status, ended.text]).toEqual([
      200,
      expect.stringContaining("dora is logged out of guarded. Its tokens were revoked."),
    ]);
    expect((await browser.submit(mine)).status).toBe(410);
    expect((await show(dora)).text).toContain("not logged in.");
    expect(linkIn(await said(team.as(dora)))).toContain("/oauth/login");
    const foreign = await browser.post(page, { token: dora }, "https://evil.example/");
    expect(foreign.status).toBe(403);
  });

  test("[team.own-logins] a token for other servers sees none", async () => {
    const page = await team.ownLogins();
    const shown = await new Browser().logIn(page, { token: ofOthers });
    expect([shown.status, shown.text]).toEqual([
      200,
      expect.stringContaining("No MCP server here needs your login."),
    ]);
  });
});

describe("a team with an address that browsers use", () => {
  const args = ["--resource", "https://mcp.example.com/mcp", "--allow-host", "mcp.example.com"];
  let team: Team;
  beforeAll(async () => {
    team = await new Team({}, "per_user = true", { args }).start();
  });
  afterAll(() => team[Symbol.asyncDispose]());

  test("[team.login-pages] its pages are there, with a cookie for it alone", async () => {
    const link = linkIn(await said(team.as(alice)));
    expect(link).toStartWith("https://mcp.example.com/oauth/login?request=");
    const { pathname, search } = new URL(link);
    const behind = new URL(pathname + search, team.server.url).href;
    const host = { host: "mcp.example.com" };
    const page = await fetch(behind, { headers: host });
    const [cookie = ""] = page.headers.getSetCookie();
    expect(cookie).toMatch(/; Path=\/oauth; Max-Age=1800; HttpOnly; SameSite=Lax; Secure$/);
    const [, digest = ""] = /name="browser" value="([^"]+)"/.exec(await page.text()) ?? [];
    const form = { request: new URL(link).searchParams.get("request") ?? "", browser: digest };
    const begun = await fetch(new URL("/oauth/login", team.server.url), {
      method: "POST",
      body: new URLSearchParams(form).toString(),
      headers: {
        ...host,
        cookie: cookie.split(";")[0] ?? "",
        "content-type": "application/x-www-form-urlencoded",
        origin: "https://mcp.example.com",
      },
      redirect: "manual",
    });
    const next = new URL(begun.headers.get("location") ?? "");
    expect([begun.status, next.searchParams.get("redirect_uri")]).toEqual([
      303,
      "https://mcp.example.com/oauth/callback",
    ]);
  });

  test("[team.logins] a login begins at one server and ends at another that shares the folder", async () => {
    const before = team.accounts;
    await using other = await HttpServer.start({
      home: team.home,
      keepsFiles: true,
      args: [...args, "--token-file", team.home.at("tokens.txt")],
      env: { SECRETS_KEY_FILE: team.home.at("keys/secrets-key") },
    });
    const link = linkIn(await said(team.as(bob)));
    const servers = [other, team.server];
    let requests = 0;
    const browser = new Browser((url) => {
      if (!url.startsWith("https://mcp.example.com/")) return url;
      const { pathname, search } = new URL(url);
      return new URL(pathname + search, servers[requests++ % 2]?.url).href;
    });
    expect((await browser.logIn(link)).text).toContain("bob is logged in to guarded now.");
    expect(requests).toBe(3);
    const clients = [team.as(bob), other.client.withToken(bob)];
    expect(await Promise.all(clients.map(said))).toEqual([
      isAccount(before + 1),
      isAccount(before + 1),
    ]);
  });
});

describe("a team without per_user", () => {
  let team: Team;
  beforeAll(async () => {
    team = await new Team({}, 'scopes = ["read"]').start();
  });
  afterAll(() => team[Symbol.asyncDispose]());

  test("[team.login-pages] there are no pages", async () => {
    for (const path of ["login?request=x", "callback?state=x", "logins", "other"]) {
      const page = await new Browser().open(new URL(`/oauth/${path}`, team.server.url).href);
      expect(page.status).toBe(404);
    }
  });

  test("[team.logins] nobody who comes over HTTP is asked for the login of all", async () => {
    const client = new Client1(
      { name: "e2e", version: "1" },
      { capabilities: { elicitation: { url: {} } } },
    );
    let times = 0;
    client.setRequestHandler(ElicitRequestSchema, () => {
      times++;
      return { action: "decline" };
    });
    const requestInit = { headers: { authorization: `Bearer ${alice}` } };
    await client.connect(new Http1(new URL(team.server.url), { requestInit }));
    try {
      const { content } = await client.callTool({ name: whoami, arguments: {} });
      expect([times, JSON.stringify(content)]).toEqual([
        0,
        expect.stringContaining("scorpiox-code mcp login guarded"),
      ]);
    } finally {
      await client.close();
    }
  });
});

test("[team.logins] nothing of a login is on the disk in clear, and without the key nothing opens it", async () => {
  await using team = await new Team().start();
  const client = team.as(alice);
  const link = linkIn(await said(client));
  const secret = new URL(link).searchParams.get("request") ?? "";
  expect(filesWith(team.home, secret)).toEqual([]);
  await new Browser().logIn(link);
  expect(await said(client)).toBe("you are account 1, ***");
  expect(filesWith(team.home, "-canary")).toEqual([]);
  expect(team.server.stdout + team.server.stderr).not.toContain("-canary");

  const old = readFileSync(team.home.at("keys/secrets-key"), "utf8");
  const next = randomBytes(32).toString("hex");
  await team.restart([next]);
  const origins = (await team.server.ownUrls()).map((url) => new URL(url).origin);
  expect(origins).toContain(new URL(linkIn(await said(team.as(alice)))).origin);
  await team.restart(["# the next one seals", next, old]);
  expect(await said(team.as(alice))).toBe("you are account 1, ***");
  // What the older one had sealed is sealed again, and it can go.
  await eventually("the row of the next key", async () => {
    await team.restart([next]);
    return (await said(team.as(alice))) === "you are account 1, ***";
  });
});

test("[team.logins] a server that is killed between code and token has nothing in clear, and the next login works", async () => {
  await using team = await new Team({ codeMs: 60_000 }).start();
  const link = linkIn(await said(team.as(alice)));
  void new Browser().logIn(link).catch(() => {});
  await eventually("the exchange", () => team.upstream.to("/token").length === 1);
  process.kill(team.server.pid, "SIGKILL");
  team.upstream.script = { ...team.upstream.script, codeMs: 0 };
  await team.restart();
  expect(filesWith(team.home, "code-")).toEqual([]);
  const again = linkIn(await said(team.as(alice)));
  expect((await new Browser().logIn(again)).status).toBe(200);
  expect(await said(team.as(alice))).toBe("you are account 2, ***");
});

test("[team.logins] the operator sees whose logins there are, and ends one", async () => {
  await using team = await new Team().start();
  const [one, two] = [team.as(alice), team.as(bob)];
  for (const client of [one, two]) await new Browser().logIn(linkIn(await said(client)));
  const env = {
    ...testEnvironment(team.home.path),
    SECRETS_KEY_FILE: team.home.at("keys/secrets-key"),
  };
  const run = (words: string): Promise<Ended> =>
    runProduct(team.home, words.split(" "), { env, stdin: new Blob([]) });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown;
  const row = (owner: string): object => ({ owner, server: "guarded", since: time, expires: time });
  const listed = await run("mcp logins --json");
  expect(JSON.parse(listed.stdout)).toEqual([row("token:alice"), row("token:bob")]);
  expect((await run("mcp logins")).stdout).toMatch(
    /^ *OWNER +SERVER +SINCE +TOKEN ENDS\n *alice +guarded /,
  );

  const ended = await run("mcp logout guarded --owner alice --json");
  expect([ended.exitCode, JSON.parse(ended.stdout)]).toEqual([
    0,
    [{ ...row("token:alice"), revoked: true }],
  ]);
  expect(team.upstream.to("/revoke").map(({ body }) => body["token_type_hint"])).toEqual([
    "refresh_token",
    "access_token",
  ]);
  expect([linkIn(await said(one)), await said(two)]).toEqual([
    expect.stringContaining("/oauth/login?"),
    "you are account 2, ***",
  ]);
  expect((await run("mcp logout --owner alice")).exitCode).toBe(3);
  const last = await run("mcp logout --owner bob");
  expect([last.exitCode, last.stderr]).toEqual([
    0,
    expect.stringContaining("bob is logged out of guarded."),
  ]);
  expect((await run("mcp logins --json")).stdout).toBe("[]\n");
  for (const { stdout, stderr } of [listed, ended, last])
    expect(stdout + stderr).not.toContain("-canary");
});

test("[team.logins] two servers of one home renew a token once", async () => {
  // It is over when the second server has started.
  await using team = await new Team({ expiresIn: 0.1 }).start();
  await new Browser().logIn(linkIn(await said(team.as(alice))));
  await using other = await HttpServer.start({
    home: team.home,
    keepsFiles: true,
    args: ["--token-file", team.home.at("tokens.txt")],
    env: { SECRETS_KEY_FILE: team.home.at("keys/secrets-key") },
  });
  const clients = [team.as(alice), other.client.withToken(alice)];
  team.upstream.script = { ...team.upstream.script, expiresIn: 3600, refreshMs: 300 };
  const [first] = team.upstream.tokens.keys();
  await eventually("the end of the token", async () => {
    const texts = await Promise.all([...clients, ...clients].map(said));
    expect(texts).toEqual(texts.map(() => "you are account 1, ***"));
    return [...team.upstream.tokens.keys()].some((token) => token !== first);
  });
  const refreshes = team.upstream
    .to("/token")
    .filter(({ body }) => body["grant_type"] === "refresh_token");
  expect(refreshes).toHaveLength(1);
});

test("[team.logins] a server that shows nothing without a login is listed with the operator's, and called with no login but the user's", async () => {
  await using team = new Team({ showsLists: false });
  const env = {
    ...testEnvironment(team.home.path),
    SCORPIOX_ASK_BROWSER: browserScript(team.home),
  };
  const login = ["mcp", "login", "guarded"];
  expect(await runProduct(team.home, login, { env })).toMatchObject({ exitCode: 0 });
  const [operators] = [...team.upstream.tokens.keys()];
  await team.start();
  const client = team.as(alice);
  const link = linkIn(await said(client));
  expect(team.upstream.to("/mcp").filter(isCall)).toEqual([]);
  await new Browser().logIn(link);
  expect(await said(client)).toBe("you are account 2, ***");
  const calls = team.upstream.to("/mcp").filter(isCall);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.authorization).not.toContain(operators);

  // Without the operator's the lists cannot be checked, which no user can change.
  team.upstream.tokens.delete(operators ?? "");
  team.upstream.script = { ...team.upstream.script, refuseRefresh: [400, "invalid_grant"] };
  await team.restart();
  expect(await said(team.as(alice))).toContain("scorpiox-code mcp login guarded");
});

test("[team.logins] without a key the entry is not used, and the start says what to do", async () => {
  await using team = new Team();
  await using server = await HttpServer.start({ home: team.home, tokens: [`alice ${alice}`] });
  await eventually("the notice", () =>
    server.stderr.includes(
      "The MCP server guarded has oauth.per_user and is not used. Tokens of users are kept encrypted only",
    ),
  );
  expect(server.stderr).toContain("openssl rand -base64 32");
  expect(toolNames(onlyMessage(await server.modern("tools/list")))).not.toContain(whoami);
  expect(team.upstream.requests).toEqual([]);
});
