import { expect, setDefaultTimeout, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { jwtVerify } from "jose/jwt/verify";

import { type AuthScript, AuthServer } from "../fixtures/oauth/auth-server.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { testMsMax } from "./harness/platform.ts";
import { type Ended, runProduct } from "./harness/run-product.ts";
import { Server, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** A home whose user has one server that wants a login, and a browser that writes down what it was started with. */
function loginHome(upstream: AuthServer, entry = ""): TempFolder {
  const home = new TempFolder();
  home.folder("project");
  home.write(".scorpiox/config.toml", `[mcp.servers.guarded]\nurl = "${upstream.url}"\n${entry}`);
  const record = JSON.stringify(home.at("browser.txt"));
  const text = `#!${process.execPath}
import { appendFileSync } from "node:fs";
appendFileSync(${record}, JSON.stringify(process.argv.slice(2)) + "\\n");
await fetch(process.argv[2]);
`;
  home.write("browser.ts", text, 0o755);
  return home;
}

function environment(home: TempFolder): Record<string, string> {
  return { ...testEnvironment(home.path), SCORPIOX_ASK_BROWSER: home.at("browser.ts") };
}

function run(
  home: TempFolder,
  words: readonly string[],
  stdin: ReadableStream | Blob = new Blob([]),
): Promise<Ended> {
  return runProduct(home, words, { env: environment(home), stdin });
}

function openedPages(home: TempFolder): readonly (readonly string[])[] {
  const file = home.at("browser.txt");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as readonly string[]);
}

/** Files in which a token is seen, the store of secrets apart. */
function filesWithSecrets(home: TempFolder): readonly string[] {
  const entries = readdirSync(home.path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => {
    return !path.endsWith(".secret") && readFileSync(path, "latin1").includes("-canary");
  });
}

test("[gateway.gw-39] a login by the browser, calls with its token, and a logout", async () => {
  using upstream = new AuthServer();
  using home = loginHome(upstream);
  const before = await run(home, ["call", "mcp__guarded__whoami"]);
  expect([before.exitCode === 0, openedPages(home)]).toEqual([false, []]);

  const login = await run(home, ["mcp", "login", "guarded", "--json"]);
  expect([login.exitCode, JSON.parse(login.stdout)]).toEqual([
    0,
    {
      server: "guarded",
      issuer: upstream.origin,
      resource: upstream.url,
      scope: "read",
      expiresAt: expect.any(String),
    },
  ]);
  const [page, ...others] = openedPages(home);
  expect([page?.length, page?.[0]?.startsWith(`${upstream.origin}/authorize?`), others]).toEqual([
    1,
    true,
    [],
  ]);

  const called = await run(home, ["call", "mcp__guarded__whoami"]);
  expect([called.exitCode, called.stdout]).toEqual([0, "you are ***\n"]);
  expect(upstream.to("/mcp").at(-1)?.authorization).toStartWith("Bearer access-canary-");
  expect(filesWithSecrets(home)).toEqual([]);
  for (const { stdout, stderr } of [login, called]) {
    expect(stdout + stderr).not.toContain("-canary");
  }

  const logout = await run(home, ["mcp", "logout", "guarded"]);
  expect([logout.exitCode, upstream.to("/revoke").length]).toEqual([0, 2]);
  expect((await run(home, ["mcp", "logout", "guarded"])).exitCode).toBe(3);
  expect((await run(home, ["call", "mcp__guarded__whoami"])).exitCode).not.toBe(0);
});

test("[gateway.gw-39] a running server uses a login that was made meanwhile, and asks for more rights by name", async () => {
  using upstream = new AuthServer();
  using home = loginHome(upstream);
  await using server = new Server({ home, env: environment(home) });
  await server.initialize();
  const listed = async (): Promise<boolean> =>
    JSON.stringify(await server.request("tools/list")).includes("mcp__guarded__whoami");
  expect(await listed()).toBe(false);
  const search = { name: "tool_search", arguments: { query: "who am i" } };
  const refused = await server.request("tools/call", search);
  expect(JSON.stringify(refused)).toContain("scorpiox-code mcp login guarded");
  expect((await run(home, ["mcp", "login", "guarded"])).exitCode).toBe(0);
  await eventually("the tool", listed, 5_000);

  upstream.script = { callScope: "write" };
  const less = await server.request("tools/call", { name: "mcp__guarded__whoami", arguments: {} });
  expect(JSON.stringify(less)).toContain("scorpiox-code mcp login guarded");
  expect((await run(home, ["mcp", "login", "guarded"])).exitCode).toBe(0);
  expect(upstream.to("/authorize").at(-1)?.query["scope"]).toBe("read write");
  await eventually("the call", async () => {
    const call = { name: "mcp__guarded__whoami", arguments: {} };
    return JSON.stringify(await server.request("tools/call", call)).includes("you are ***");
  });
  expect(openedPages(home).length).toBe(2);
});

test("[gateway.gw-39] without a browser the address is printed, and what is pasted counts", async () => {
  using upstream = new AuthServer();
  using home = loginHome(upstream);
  const child = Bun.spawn([productBinary, "mcp", "login", "guarded", "--no-browser"], {
    cwd: home.at("project"),
    env: environment(home),
    stdio: ["pipe", "ignore", "pipe"],
  });
  const reader = child.stderr.getReader();
  let shown = "";
  const address = await eventually("the address", async () => {
    shown += Buffer.from((await reader.read()).value ?? []).toString();
    return /^http:\S+authorize\S+$/m.exec(shown)?.[0];
  });
  const answer = await fetch(address, { redirect: "manual" });
  void child.stdin.write(`nonsense=code=\n${answer.headers.get("location")}\n`);
  void child.stdin.flush();
  expect(await child.exited).toBe(0);
  expect(openedPages(home)).toEqual([]);
});

test.each<[string, AuthScript]>([
  ["a file", { metadata: { authorization_endpoint: "file:///etc/passwd" } }],
  ["another issuer", { metadata: { issuer: "https://evil.test" } }],
  ["another resource", { resource: { resource: "https://evil.test/mcp" } }],
  ["no PKCE", { metadata: { code_challenge_methods_supported: [] } }],
])("[gateway.gw-39] %s opens no browser", async (_, script) => {
  using upstream = new AuthServer(script);
  using home = loginHome(upstream);
  const login = await run(home, ["mcp", "login", "guarded"]);
  expect([login.exitCode, openedPages(home)]).toEqual([1, []]);
});

test("[gateway.gw-39] a client that logs in by itself: no browser, its secret and its tokens nowhere", async () => {
  using upstream = new AuthServer();
  using home = loginHome(
    upstream,
    'oauth = { grant = "client_credentials", client_id = "me", client_secret = "${keyring:me}" }\n',
  );
  const words = ["call", "mcp__guarded__whoami"];
  const missing = await run(home, words);
  expect([missing.exitCode === 0, missing.stderr]).toEqual([
    false,
    expect.stringContaining("mcp secrets set me"),
  ]);
  await run(home, ["mcp", "secrets", "set", "me"], new Blob(["secret-canary\n"]));

  const called = [await run(home, words), await run(home, words)];
  const you = { exitCode: 0, stdout: "you are ***\n" };
  expect(called).toMatchObject([you, you]);
  expect(upstream.to("/token")).toMatchObject([
    { authorization: `Basic ${btoa("me:secret-canary")}` },
  ]);
  expect(openedPages(home)).toEqual([]);

  const login = await run(home, ["mcp", "login", "guarded", "--json"]);
  expect([login.exitCode, JSON.parse(login.stdout)]).toMatchObject([
    0,
    { issuer: upstream.origin },
  ]);
  const flag = await run(home, ["mcp", "login", "guarded", "--no-browser"]);
  expect([flag.exitCode, flag.stderr]).toEqual([2, expect.stringContaining("logs in by itself")]);
  const logout = await run(home, ["mcp", "logout", "guarded"]);
  expect([logout.exitCode, upstream.to("/revoke").length]).toEqual([0, 1]);

  upstream.script = { refuseGrant: [401, "invalid_client"] };
  const refused = await run(home, words);
  const why = "refuses: invalid_client (not you). It logs in by itself: correct the oauth table";
  expect([refused.exitCode, refused.stdout]).toEqual([4, expect.stringContaining(why)]);
  expect(filesWithSecrets(home)).toEqual([]);
  for (const { stdout, stderr } of [missing, ...called, login, logout, refused]) {
    expect(stdout + stderr).not.toContain("-canary");
  }
});

test("[gateway.gw-39] a client with a key proves itself by what it signs", async () => {
  using upstream = new AuthServer();
  using home = loginHome(
    upstream,
    'oauth = { grant = "client_credentials", client_id = "me", private_key_file = "~/me.pem" }\n',
  );
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  home.write("me.pem", privateKey.export({ type: "pkcs8", format: "pem" }), 0o600);
  const called = await run(home, ["call", "mcp__guarded__whoami"]);
  expect([called.exitCode, called.stdout]).toEqual([0, "you are ***\n"]);
  const [token] = upstream.to("/token");
  const { client_assertion: proof = "" } = token?.body ?? {};
  const { payload } = await jwtVerify(proof, publicKey, { audience: upstream.origin });
  expect([payload.sub, filesWithSecrets(home), openedPages(home)]).toEqual(["me", [], []]);
});

test("[gateway.secrets] a secret of the user's is set from stdin, sent, and shown nowhere", async () => {
  using upstream = new AuthServer();
  upstream.tokens.set("header-canary", "read");
  const header = 'headers = { Authorization = "Bearer ${keyring:guarded/token}" }\n';
  using home = loginHome(upstream, header);
  await using server = new Server({ home, env: environment(home) });
  await server.initialize();
  const call = { name: "mcp__guarded__whoami", arguments: {} };
  const search = { name: "tool_search", arguments: { query: "who am i" } };
  const missing = JSON.stringify(await server.request("tools/call", search));
  expect(missing).toContain("mcp secrets set guarded/token");
  const words = ["mcp", "secrets", "set", "guarded/token"];
  const stored = await run(home, words, new Blob(["header-canary\n"]));
  expect([stored.exitCode, stored.stderr.includes("No keychain")]).toEqual([0, true]);
  const said = await eventually("the call", async () => {
    const text = JSON.stringify(await server.request("tools/call", call));
    return text.includes("you are") && text;
  });
  expect(said).toContain("you are ***");
  const listed = await run(home, ["mcp", "secrets", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toEqual([{ name: "guarded/token", place: "file" }]);
  expect(filesWithSecrets(home)).toEqual([]);
  expect(server.lines.join("\n") + server.stderr + listed.stdout).not.toContain("-canary");
});

test("[gateway.secrets] what a command writes, for entries of the user's only", async () => {
  using upstream = new AuthServer();
  upstream.tokens.set("command-canary", "read");
  const header = 'headers = { Authorization = "Bearer ${cmd:echo command-canary}" }\n';
  using home = loginHome(upstream, header);
  const called = await run(home, ["call", "mcp__guarded__whoami"]);
  expect([called.exitCode, called.stdout]).toEqual([0, "you are ***\n"]);
});

test("[gateway.gw-39] a client that shows addresses is shown the login, and its call goes on", async () => {
  using upstream = new AuthServer();
  using home = loginHome(upstream);
  expect((await run(home, ["mcp", "login", "guarded"])).exitCode).toBe(0);
  await using server = new Server({ home, env: environment(home) });
  await server.initialize("2025-11-25", "e2e", { elicitation: { form: {}, url: {} } });
  const call = { name: "mcp__guarded__whoami", arguments: {} };
  await eventually("the tool", async () => {
    return JSON.stringify(await server.request("tools/list")).includes("mcp__guarded__whoami");
  });
  // The server forgets everybody, and the login cannot be renewed.
  upstream.tokens.clear();
  upstream.script = { refuseRefresh: [400, "invalid_grant"] };
  const id = server.start("tools/call", call);
  const asked = await server.message(
    "the address",
    ({ method }) => method === "elicitation/create",
  );
  const { mode, url } = asked.params ?? {};
  expect([mode, String(url)]).toEqual(["url", expect.stringContaining("/authorize?")]);
  await fetch(String(url));
  server.send({ jsonrpc: "2.0", id: asked.id, result: { action: "accept" } });
  expect(JSON.stringify(await server.reply(id))).toContain("you are ***");
  expect(openedPages(home).length).toBe(1);

  // Who declines is not asked with every call.
  upstream.tokens.clear();
  const declined = server.start("tools/call", call);
  const isSecond = ({ method, id: other }: { method?: string; id?: unknown }): boolean =>
    method === "elicitation/create" && other !== asked.id;
  const again = await server.message("the address again", isSecond);
  server.send({ jsonrpc: "2.0", id: again.id, result: { action: "decline" } });
  for (const reply of [await server.reply(declined), await server.request("tools/call", call)]) {
    expect(JSON.stringify(reply)).toContain("scorpiox-code mcp login guarded");
  }
});
