import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { ensureBuilt, productBinary, root } from "./harness/binary.ts";
import { testMsMax } from "./harness/platform.ts";
import { type Ended, runProduct } from "./harness/run-product.ts";
import { testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const before = "# mine\r\n[other]\r\na = 1 # no line end";

test("[gateway.gw-05] mcp add and mcp remove leave a file as it was", async () => {
  using home = new TempFolder();
  const file = home.write("project/.scorpiox/config.toml", before);
  expect(
    (await runProduct(home, ["mcp", "add", "x", "--no-install", "--", "npx", "-y", "pkg"]))
      .exitCode,
  ).toBe(0);
  expect(readFileSync(file, "utf8")).toStartWith(before);
  expect((await runProduct(home, ["mcp", "remove", "x"])).exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(before);
  const own = home.at(".scorpiox", "config.toml");
  expect(
    (
      await runProduct(home, [
        "mcp",
        "add",
        "x",
        "--scope",
        "global",
        "--url",
        "https://x.test/mcp",
      ])
    ).exitCode,
  ).toBe(0);
  expect(statSync(own).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
  expect((await runProduct(home, ["mcp", "remove", "x", "--scope", "global"])).exitCode).toBe(0);
  expect(existsSync(own)).toBe(false);
});

test.each<[words: readonly string[], file: string, entry: string]>([
  [["docs", "https://x.test/mcp"], "project/.scorpiox/config.toml", 'url = "https://x.test/mcp"\n'],
  [
    [
      "-s",
      "user",
      "-e",
      "A=${A}",
      "git",
      "-t",
      "stdio",
      "--no-install",
      "--",
      "npx",
      "-y",
      "-e",
      "pkg",
    ],
    ".scorpiox/config.toml",
    'command = "npx"\nargs = ["-y", "-e", "pkg"]\nenv = { A = "${A}" }\n',
  ],
])("[gateway.typed] mcp add takes what people type: %j", async (words, file, entry) => {
  using home = new TempFolder();
  home.folder("project/.git");
  expect((await runProduct(home, ["mcp", "add", ...words])).exitCode).toBe(0);
  expect(readFileSync(home.at(file), "utf8")).toEndWith(`]\n${entry}`);
});

test("[gateway.gw-05] commands at the same time lose nothing of each other", async () => {
  using home = new TempFolder();
  const file = home.write("project/.scorpiox/config.toml", before);
  const names = Array.from({ length: 8 }, (_, index) => `s${index}`);
  const all = async (wordsOf: (name: string) => readonly string[]): Promise<readonly number[]> => {
    const children = names.map((name) =>
      Bun.spawn([productBinary, "mcp", ...wordsOf(name)], {
        cwd: home.at("project"),
        env: testEnvironment(home.path),
        stdio: ["ignore", "ignore", "ignore"],
      }),
    );
    return Promise.all(children.map(({ exited }) => exited));
  };
  expect(await all((name) => ["add", name, "--", name])).toEqual(names.map(() => 0));
  const text = readFileSync(file, "utf8");
  expect(names.filter((name) => !text.includes(`[mcp.servers.${name}]`))).toEqual([]);
  expect(await all((name) => ["remove", name])).toEqual(names.map(() => 0));
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("[gateway.gw-06] commands for servers say by their exit code what happened", async () => {
  using home = new TempFolder();
  home.folder("project/.git");
  const lines = [
    ["mcp", "add", "x", "--scope", "global", "--", "cmd", "--scope", "project", "--help"],
    ["mcp", "add", "x", "--scope", "global", "--", "cmd"],
    ["mcp", "add", "y"],
    ["mcp", "get", "x", "--json"],
    ["mcp", "get", "y"],
    ["mcp", "remove", "x"],
    ["mcp", "import", "no-such-client"],
    ["mcp", "list", "--json"],
  ];
  const ended: Ended[] = [];
  for (const words of lines) ended.push(await runProduct(home, words));
  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 2, 2, 0, 3, 3, 3, 0]);
  const { servers } = JSON.parse(ended.at(-1)?.stdout ?? "") as { servers: { launch: unknown }[] };
  expect(servers.map(({ launch }) => launch)).toEqual([
    { command: "cmd", args: ["--scope", "project", "--help"], env: {} },
  ]);
});

test("[gateway.gw-32] a call in OpenAI's form is answered in it", async () => {
  using home = new TempFolder();
  const tools = JSON.parse((await runProduct(home, ["tools", "--format", "openai"])).stdout) as {
    function: { name: string; parameters: { type: string } };
  }[];
  const bash = tools.find((tool) => tool.function.name === "Bash");
  expect(bash?.function.parameters.type).toBe("object");
  const call = {
    id: "c1",
    type: "function",
    function: { name: "Bash", arguments: '{"command":"echo works"}' },
  };
  const stdin = new Blob([JSON.stringify(call)]);
  const answer = await runProduct(home, ["call", "-", "--format", "openai"], { stdin });
  expect([answer.exitCode, JSON.parse(answer.stdout)]).toEqual([
    0,
    { role: "tool", tool_call_id: "c1", content: expect.stringContaining("works") },
  ]);
  const failed = await runProduct(home, ["call", "Bash", "{}", "--format", "openai"]);
  expect([failed.exitCode, JSON.parse(failed.stdout)]).toMatchObject([1, { success: false }]);
  const unknown = await runProduct(home, ["call", "Bsh", "command=true"]);
  expect([unknown.exitCode, unknown.stdout]).toEqual([3, ""]);
});

test("[gateway.gw-32] tools of another server are listed and called from the command line", async () => {
  using home = new TempFolder();
  home.folder("project/.git");
  const fixture = join(root, "test/fixtures/upstream/main.ts");
  const add = ["mcp", "add", "fix", "--scope", "global", "--", process.execPath, fixture];
  expect((await runProduct(home, add)).exitCode).toBe(0);
  const all = await runProduct(home, ["tools", "--server", "fix", "--format", "anthropic"]);
  const names = (JSON.parse(all.stdout) as { name: string }[]).map(({ name }) => name);
  expect(names).toContain("mcp__fix__add");
  const cases: readonly (readonly [readonly string[], number, unknown])[] = [
    // Values become what the schema says, also of a hidden tool; an alias means the same tool.
    [["mcp__fix__add", "a=1", "b=2"], 0, { success: true, output: "3", structured: { sum: 3 } }],
    [["mcp:fix.echo", '{"text": "hi"}'], 0, { success: true, output: "hi" }],
    [["mcp__fix__fail", "text=broken"], 1, { success: false, output: "broken", error: "broken" }],
  ];
  for (const [words, code, expected] of cases) {
    const { exitCode, stdout } = await runProduct(home, ["call", ...words, "--format", "openai"]);
    expect([exitCode, JSON.parse(stdout)]).toEqual([code, expected]);
  }
  expect((await runProduct(home, ["call", "mcp__fix__nothing"])).exitCode).toBe(3);
  home.write(".scorpiox/scorpiox-env.txt", "MCP_DENY=fix:echo\n");
  const denied = await runProduct(home, ["call", "mcp__fix__echo", "text=hi"]);
  expect(denied.exitCode).toBe(4);
});
