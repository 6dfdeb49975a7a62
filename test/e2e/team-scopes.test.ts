import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";

import { eventually } from "./harness/conditions.ts";
import { type Answer, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { toolNames } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

const tokenOf = (label: string): string => `${label}-0123456789abcdef`;

/** `echo` only reads by its definition; nothing is said of `add`. */
const entry = (name: string, keys: object = {}): object => ({
  ...upstreamLaunch({ tools: ["echo", "add"], name }),
  ...keys,
});

const scopes = `
[tool_scopes]
read = "tools:read"
write = "tools:write"
destructive = "tools:admin"
"mcp__github__*" = "gh:use"
mcp__github__add = "gh:add"
`;

let home: TempFolder;
let server: HttpServer;

beforeAll(async () => {
  home = new TempFolder();
  const vault = entry("vault", { risk: { write: ["add"] } });
  const mcpServers = { docs: entry("docs"), github: entry("github"), vault };
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
  home.write(".scorpiox/http.toml", scopes, 0o600);
  const tokens = [
    "all",
    "reader tools:read",
    "writer tools:read tools:write",
    "admin tools:admin",
    "user gh:use",
  ].map((line) => {
    const [label = "", ...rest] = line.split(" ");
    return [label, tokenOf(label), ...rest].join(" ");
  });
  server = await HttpServer.start({ home, tokens });
  await eventually("the servers", async () => (await names("all")).length === 6, 20_000);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

async function names(label: string): Promise<readonly string[]> {
  const listed = await server.client.withToken(tokenOf(label)).modern("tools/list");
  return toolNames(onlyMessage(listed))
    .filter((name) => name.startsWith("mcp__"))
    .map((name) => name.slice("mcp__".length));
}

function call(label: string, name: string, args: object): Promise<Answer> {
  const client = server.client.withToken(tokenOf(label));
  return client.modern("tools/call", { name: `mcp__${name}`, arguments: args });
}

test.each<[label: string, listed: readonly string[]]>([
  ["reader", ["docs__echo", "vault__echo"]],
  ["writer", ["docs__echo", "vault__add", "vault__echo"]],
  ["admin", ["docs__add"]],
  ["user", ["github__echo"]],
])("[team.scopes] %s is listed the tools of its scopes", async (label, listed) => {
  expect((await names(label)).toSorted()).toEqual([...listed]);
});

test.each<[label: string, tool: string, needed: string | undefined]>([
  ["reader", "docs__echo", undefined],
  ["reader", "docs__add", "tools:admin"],
  ["reader", "vault__add", "tools:write"],
  ["reader", "github__echo", "gh:use"],
  ["writer", "vault__add", undefined],
  ["user", "github__echo", undefined],
  ["user", "github__add", "gh:add"],
  ["user", "docs__echo", "tools:read"],
])("[team.scopes] a call by %s of %s needs %p more", async (label, tool, needed) => {
  const args = tool.endsWith("echo") ? { text: "hello" } : { a: 1, b: 2 };
  const { status, headers } = await call(label, tool, args);
  const challenge = headers.get("www-authenticate") ?? "";
  if (needed === undefined) expect(status).toBe(200);
  else expect([status, challenge]).toEqual([403, expect.stringContaining(`scope="${needed}"`)]);
});

test("[team.scopes] no other name of a tool leads around its scope", async () => {
  const client = server.client.withToken(tokenOf("reader"));
  for (const [name, args] of [
    ["tool_call", { name: "mcp__docs__add", arguments: { a: 1, b: 2 } }],
    ["docs__add", { a: 1, b: 2 }],
    ["mcp.docs.add", { a: 1, b: 2 }],
  ] as const) {
    const answer = await client.modern("tools/call", { name, arguments: args });
    expect(answer.text).not.toContain('"3"');
    expect(answer.status === 403 || /may not use|Unknown tool/.test(answer.text)).toBe(true);
  }
});
