import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { UpstreamOptions } from "../../../src/upstream/worker/upstream-options.ts";
import { spawnHttpUpstream } from "../../fixtures/upstream/spawn.ts";
import { allCapabilities } from "../connect/open-scripted.ts";
import { type Hub, openHub } from "./open-hub.ts";
import { type Configured, configText, type Opened, textOfReply } from "./open-work.ts";

const script = { tools: ["pid", "env"] };

interface Client {
  readonly options?: Partial<UpstreamOptions>;
  readonly project?: string;
}

async function areShared(hub: Hub, one: Client, other: Client): Promise<boolean> {
  const pid = async ({ options, project }: Client): Promise<string> => {
    const client = await hub.client({ trustsProject: true, ...options }, project);
    await reached(client);
    const { apps } = options ?? {};
    const capabilities = apps === undefined ? allCapabilities : { ...allCapabilities, apps };
    return textOfReply(await client.call("one", "pid", {}, { capabilities }));
  };
  const [a, b] = [await pid(one), await pid(other)];
  expect([a, b]).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
  return a === b;
}

async function reached(client: Opened): Promise<void> {
  while (client.snapshots.at(-1)?.tools.length !== 2) await Bun.sleep(5);
}

const env = (more: Readonly<Record<string, string>>): Client => ({
  options: { env: { PATH: "/usr/bin", ...more } },
});

test.each<[string, Configured, Client, Client]>([
  ["in the same project", {}, {}, {}],
  ["with another TERM", {}, env({ TERM: "xterm" }), env({ TERM: "dumb" })],
  ["without TERM", {}, env({ TERM: "xterm" }), env({})],
  ["with a variable that no server gets", {}, env({ API_TOKEN: "1" }), env({ API_TOKEN: "2" })],
  ["with another PATH within that of the login", {}, env({}), env({ PATH: "/bin:/usr/bin/" })],
  ["with the same secret", { env: { K: "${S}" } }, env({ S: "1" }), env({ S: "1" })],
  ["of a project, approved by both", {}, { project: "p" }, { project: "p" }],
  ["in two projects, when the entry says so", { isolation: "shared" }, {}, { project: "other" }],
  ["so in other folders, too", { isolation: "shared", roots: "none" }, {}, { project: "other" }],
  [
    "with a folder of its own",
    { isolation: "shared", cwd: "~", roots: ["~/x"] },
    {},
    { project: "other" },
  ],
  ["where each workspace has its own", { isolation: "workspace" }, {}, {}],
])("HB3: two clients share a server %s", async (what, keys, one, other) => {
  await using hub = await openHub();
  if (what.startsWith("of a project")) {
    const dir = join(hub.home, "p");
    mkdirSync(dir);
    await writeFile(join(dir, ".mcp.json"), configText({ one: { script, ...keys } }));
  } else await hub.configure({ one: { script, ...keys } });
  expect(await areShared(hub, one, other)).toBe(true);
  expect(hub.shared.pool.size).toBe(1);
});

test.each<[string, Configured, Client, Client]>([
  ["another project", {}, {}, { project: "other" }],
  ["another PATH", {}, env({}), env({ PATH: "/own/bin" })],
  ["another language", {}, env({ LANG: "C" }), env({ LANG: "en_US.UTF-8" })],
  ["another part of the language", {}, env({ LC_TIME: "C" }), env({})],
  ["another time zone", {}, env({ TZ: "UTC" }), env({ TZ: "Asia/Tokyo" })],
  ["another proxy", {}, env({ https_proxy: "http://a" }), env({ https_proxy: "http://b" })],
  ["other certificates", {}, env({ SSL_CERT_FILE: "/a" }), env({})],
  ["another folder for temporary files", {}, env({ TMPDIR: "/a" }), env({ TMPDIR: "/b" })],
  ["another home", {}, env({ HOME: "/a" }), env({ HOME: "/b" })],
  ["another secret", { env: { KEY: "${SECRET}" } }, env({ SECRET: "1" }), env({ SECRET: "2" })],
  ["another inherited variable", { inherit_env: ["X"] }, env({ X: "1" }), env({ X: "2" })],
  ["an inherited terminal", { inherit_env: ["TERM"] }, env({ TERM: "a" }), env({ TERM: "b" })],
  ["other roots", {}, { options: { folders: ["/a"] } }, { options: { folders: ["/b"] } }],
  ["another workspace", {}, { options: { workspace: "a" } }, { options: { workspace: "b" } }],
  [
    "another workspace, and the entry says so",
    { isolation: "workspace" },
    { options: { workspace: "a" } },
    { options: { workspace: "b" } },
  ],
  ["apps that it shows", {}, { options: { apps: "pages" } }, {}],
  ["a client of its own for each", { isolation: "session" }, {}, {}],
  ["a call of its own for each", { isolation: "call" }, {}, {}],
  [
    "another project, named in an argument",
    { isolation: "shared", args_more: ["${workspaceFolder}"] },
    {},
    { project: "other" },
  ],
  ["another project as its folder", { isolation: "shared", cwd: "." }, {}, { project: "other" }],
  [
    "another project as its folder by name",
    { isolation: "shared", cwd: "${workspaceFolder}" },
    {},
    { project: "other" },
  ],
  [
    "another project, in an option",
    { isolation: "shared", args_more: ["--dir=./data"] },
    {},
    { project: "other" },
  ],
  [
    "another project, in a variable",
    { isolation: "shared", env: { DIR: "${workspaceFolder}/x" } },
    {},
    { project: "other" },
  ],
  [
    "another project, of which it asks",
    { isolation: "shared", roots: "workspace" },
    {},
    { project: "other" },
  ],
])("HB3: two clients do not share a server with %s", async (_what, keys, one, other) => {
  await using hub = await openHub();
  const { args_more: more, ...rest } = keys as { args_more?: string[] };
  const text = configText({ one: { script, ...rest } });
  const config = JSON.parse(text) as { mcpServers: { one: { args: string[] } } };
  config.mcpServers.one.args.push(...(more ?? []));
  await writeFile(join(hub.home, ".scorpiox", "mcp_servers.json"), JSON.stringify(config));
  expect(await areShared(hub, one, other)).toBe(false);
});

test("HB3: an entry of a project is for clients of that project only, whatever it says", async () => {
  await using hub = await openHub();
  for (const project of ["p", "q"]) {
    const dir = join(hub.home, project);
    mkdirSync(dir);
    const text = configText({ one: { script, isolation: "shared", roots: "none" } });
    await writeFile(join(dir, ".mcp.json"), text);
  }
  expect(await areShared(hub, { project: "p" }, { project: "q" })).toBe(false);
});

test("HB3: an entry of a project is not started, or shared, before its approval", async () => {
  await using hub = await openHub();
  await writeFile(join(hub.project, ".mcp.json"), configText({ one: { script } }));
  const trusting = await hub.client({ trustsProject: true });
  await reached(trusting);
  const other = await hub.client();
  expect(other.info("one")?.state).toBe("untrusted");
  expect(textOfReply(await other.call("one", "pid"))).toStartWith("untrusted: ");
});

test("HB3: a server starts with the environment of its client, in a folder of no project when it serves all", async () => {
  await using hub = await openHub();
  await hub.configure({
    one: { script: { tools: ["pid", "env"] }, isolation: "shared" },
    two: { script: { tools: ["pid"] } },
  });
  const client = await hub.client({ env: { PATH: "/bin", TERM: "xterm", TZ: "UTC" } }, "p");
  await client.reach("one", "ready");
  await client.reach("two", "ready");
  const [one, two] = ["one", "two"].map((name) =>
    client.launches.find(({ server }) => server === name),
  );
  expect([one?.cwd, two?.cwd]).toEqual([hub.home, join(hub.home, "p")]);
  expect(one?.base).toEqual({ PATH: "/login/bin:/usr/bin:/bin", TZ: "UTC" });
});

test("HB3: a server over HTTP is reached by the proxy of its client, and shared with those of the same one", async () => {
  await using server = await spawnHttpUpstream({ tools: ["pid"], http: { sessions: false } });
  await using hub = await openHub();
  // The server plays the proxy: nothing else answers for this name.
  await hub.configure({ one: { url: "http://mcp.invalid/mcp" } });
  const proxy = new URL(server.url).origin;
  const clients = [];
  for (const http_proxy of [proxy, `${proxy}/`, "http://127.0.0.1:1"]) {
    const client = await hub.client({ env: { http_proxy } });
    clients.push(client);
  }
  const replies = await Promise.all(clients.map((client) => client.call("one", "pid")));
  const [first, second, third] = replies.map(textOfReply);
  expect(first).toMatch(/^\d+$/);
  expect(second).toBe(first ?? "");
  expect(third).toMatch(/^(?:unreachable|backoff): /);
  expect(hub.shared.pool.size).toBe(2);
});
