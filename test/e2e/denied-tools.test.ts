import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { isError, textOf, toolNames } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage, testEnvironment } from "./harness/server.ts";
import type { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const echo = (name: string): object => {
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  return { name, behaviour: "echo", description: `Repeats ${name}.`, inputSchema };
};
const made = Array.from({ length: 20 }, (_, at) => echo(`files/${at}`));
const tools = [echo("files/secret"), echo("files/open"), ...made];

/** Every name that the tool could be called by (NM5), and each behind the key under which clients have us. */
const forms = [
  "mcp__my_srv__files_secret_vrzv6p",
  "mcp__my_srv__files_secret",
  "mcp__my.srv__files/secret",
  "mcp:pre.files/secret",
  "mcp_pre_files/secret",
  "files/secret",
];
const behindKey = forms.map((name) => `mcp__scorpiox-code__${name}`);
const names = [...forms, ...behindKey];

/** A user with a server of 22 tools, of which one is denied. */
function homeOf(entry: object, keys: string): TempFolder {
  const home = upstreamHome({ '"my.srv"': [{ tools }, { tools_prefix: "pre", ...entry }] });
  home.folder("project/.git");
  home.write(".scorpiox/scorpiox-env.txt", keys);
  return home;
}

test.each([
  ["in the entry", { deny: ["files/s*"] }, ""],
  ["by the user's rule", {}, "MCP_DENY=my.srv:files/secret\n"],
  ["by a rule for its name here", {}, "MCP_DENY=mcp__my_srv__files_s*\n"],
  ["by an allow list without it", { allow: ["files/[0-9o]*"] }, ""],
])("[gateway.gw-23] what is denied %s has no name and is in no list", async (_how, entry, keys) => {
  using home = homeOf(entry, keys);
  await using server = new Server({ home, cwd: home.at("project") });
  await server.initialize();
  const open = (): Promise<ServerMessage> => server.call("mcp:pre.files/open", { text: "hi" });
  await eventually("the server", async () => textOf(await open()) === "hi" || undefined);
  for (const name of names) {
    const direct = await server.call(name, { text: "hi" });
    const wrapped = await server.call("tool_call", { name, arguments: { text: "hi" } });
    for (const message of [direct, wrapped]) {
      expect([name, isError(message), textOf(message)]).toEqual([
        name,
        true,
        expect.stringContaining('The tool "files/secret" of server "my.srv" may not be used'),
      ]);
    }
  }
  for (const query of ["secret", "/secret/", `select:${names.join()}`, "server:my.srv secret"]) {
    const found = await server.call("tool_search", { query, limit: 25 });
    const content = found.result?.["structuredContent"] as { matches: unknown } | undefined;
    expect(JSON.stringify(content?.matches)).toMatch(/^\[(?!.*files_secret)/);
    expect(textOf(found)).not.toContain("Repeats files/secret");
  }
  expect(toolNames(await server.request("tools/list")).join()).not.toContain("secret");
  const folder = home.at("project", ".scorpiox", "context", "tools");
  for (const file of ["mcp-index.md", "mcp-index.json"]) {
    const text = readFileSync(`${folder}/${file}`, "utf8");
    expect([text.includes("files_open"), text.includes("secret")]).toEqual([true, false]);
  }
});

test("[gateway.gw-23] what is denied has no name on the command line", async () => {
  using home = homeOf({ deny: ["files/secret"] }, "");
  const run = async (...words: readonly string[]): Promise<readonly [number, string]> => {
    const child = Bun.spawn([productBinary, ...words], {
      cwd: home.at("project"),
      env: testEnvironment(home.path),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const text = await new Response(child.stdout).text();
    return [await child.exited, text];
  };
  // Each call is a start: in the suite the whole name, the bare one and one behind our key stand for all, which a server
  // is asked for above.
  const [whole = "", ...others] = forms;
  const [behind = "", ...othersBehind] = behindKey;
  const bare = others.pop() ?? "";
  const called = [whole, bare, behind, ...onlyLong([...others, ...othersBehind])];
  const calls = [
    ...called.map((name) => ["call", name]),
    ["mcp", "call", "my.srv", "files/secret"],
  ];
  for (const words of calls) {
    const [code, text] = await run(...words, "text=hi");
    expect([words, code, text]).toEqual([words, 4, expect.not.stringContaining("hi\n")]);
  }
  const [, listed] = await run("tools", "--all", "--server", "my.srv", "--format", "mcp");
  expect([listed.includes("files_open"), listed.includes("secret")]).toEqual([true, false]);
});
