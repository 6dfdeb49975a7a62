import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "bun:test";

import { TempTree, type TreeEntry } from "../config/temp-tree.ts";
import { runIn } from "./fake-io.ts";
import { atThisLoad } from "../fixtures/at-this-load.ts";

const project = "project/.scorpiox/config.toml";
const global = "home/.scorpiox/config.toml";
const head = "# MCP servers, written by: scorpiox-code mcp add\n\n";

/** The exit code, and the file as it is then; null when there is none. */
async function after(
  words: readonly string[],
  files: Readonly<Record<string, TreeEntry>> = {},
  file = project,
): Promise<{ exitCode: number; text: string | null; stdout: string; stderr: string }> {
  using tree = new TempTree(files);
  const { exitCode, stdout, stderr } = await runIn(tree, ["mcp", ...words]);
  const text = existsSync(tree.path(file)) ? readFileSync(tree.path(file), "utf8") : null;
  return { exitCode, text, stdout, stderr };
}

describe("[GW-06] mcp add", () => {
  test.each<[string, readonly string[], string]>([
    [
      "a command",
      ["add", "x", "--", "npx", "-y", "pkg"],
      'command = "npx"\nargs = ["-y", "pkg"]\n',
    ],
    [
      "all behind -- as it is",
      ["add", "x", "--", "cmd", "--scope", "global", "--", "--help", "a b"],
      'command = "cmd"\nargs = ["--scope", "global", "--", "--help", "a b"]\n',
    ],
    [
      "variables and a folder",
      ["add", "x", "--env", "A=1=2", "--env", "B=", "--cwd", "sub", "--", "cmd"],
      'command = "cmd"\nenv = { A = "1=2", B = "" }\ncwd = "sub"\n',
    ],
    [
      "an address with headers",
      ["add", "x", "--url", "https://x.test/mcp", "--header", "A: b:c", "--header", "D:${E}"],
      'url = "https://x.test/mcp"\nheaders = { A = "b:c", D = "${E}" }\n',
    ],
  ])("%s", async (_name, words, lines) => {
    const { exitCode, text } = await after(words);
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: `${head}[mcp.servers.x]\n${lines}` });
  });

  test.each<[string, readonly string[], number, string]>([
    ["neither", ["add", "x"], 2, "Give the address of x"],
    ["both", ["add", "x", "--url", "https://x.test", "--", "cmd"], 2, "not both"],
    [
      "a header for a command",
      ["add", "x", "--header", "A:b", "--", "c"],
      2,
      "--header goes with an address.",
    ],
    [
      "a variable for an address",
      ["add", "x", "--url", "https://x.test", "--env", "A=b"],
      2,
      "--env goes with a command.",
    ],
    ["a bad name", ["add", "a b", "--", "c"], 2, 'The server "a b" needs a name of'],
    ["a name of the language", ["add", "constructor", "--", "c"], 2, "has a reserved name"],
    [
      "a bad address",
      ["add", "x", "--url", "file:///etc"],
      2,
      "only http: and https: are possible",
    ],
    [
      "a bad header",
      ["add", "x", "--url", "https://x.test", "--header", "secret"],
      2,
      "--header takes NAME:VALUE.",
    ],
    ["a bad variable", ["add", "x", "--env", "secret", "--", "c"], 2, "--env takes NAME=VALUE."],
    [
      "this program",
      ["add", "x", "--", "npx", "scorpiox-code"],
      2,
      "would start scorpiox-code itself",
    ],
    [
      "our own name",
      ["add", "scorpiox-code", "--", "c"],
      2,
      "its tools would look like those of scorpiox-code",
    ],
    ["two places", ["add", "x", "--scope", "global", "--file", "y.json", "--", "c"], 2, "not both"],
    ["an unknown scope", ["add", "x", "--scope", "home", "--", "c"], 2, "it takes project, user"],
    ["nothing", ["add"], 2, "an argument is missing"],
    ["an unknown server", ["get", "x"], 3, 'There is no server "x".'],
    ["nothing to remove", ["remove", "x"], 3, "There is no server x in"],
    ["an unknown client", ["import", "curser"], 3, "Did you mean cursor?"],
    ["a client without files", ["import", "kiro"], 3, "Kiro has no configuration here. Searched:"],
    ["broken JSON", ["add-json", "x", "{"], 2, "The JSON cannot be read: "],
    ["JSON without a server", ["add-json", "x", "{}"], 2, "No server found in the JSON"],
  ])("%s is refused", async (_name, words, code, message) => {
    const { exitCode, stdout, stderr, text } = await after(words);
    expect({ exitCode, stdout, text }).toEqual({ exitCode: code, stdout: "", text: null });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret");
  });

  test.each<[string, readonly string[], string]>([
    ["an address behind --", ["x", "--", "https://x.test/mcp"], "mcp add x https://x.test/mcp"],
    [
      "one with a secret",
      ["x", "-s", "user", "--", "https://u:geheim@x.test/?api_key=geheim", "more"],
      "mcp add x https://***@x.test/?api_key=***",
    ],
    [
      "stdio and an address",
      ["x", "-t", "stdio", "https://x.test/mcp"],
      "mcp add x https://x.test/mcp",
    ],
    ["http and no scheme", ["x", "-t", "http", "x.test/mcp"], "mcp add x https://x.test/mcp"],
    [
      "http and a command",
      ["x", "-t", "sse", "--", "npx", "-y", "p"],
      "Leave it out for a command.",
    ],
    ["a word behind an address", ["x", "https://x.test", "y"], "y is one word too many"],
    ["a flag behind an address", ["x", "https://x.test", "-y"], "There is no flag -y here."],
    ["a bad port", ["x", "https://x.test", "--callback-port", "0"], "use 1 to 65535"],
    ["another scheme", ["x", "ws://x.test"], "only http: and https: are possible"],
    ["an unknown transport", ["x", "-t", "ws", "https://x.test"], "it takes stdio, http, sse"],
  ])("refuses %s with what is right", async (_name, words, message) => {
    const { exitCode, stdout, stderr, text } = await after(["add", ...words]);
    expect({ exitCode, stdout, text }).toEqual({ exitCode: 2, stdout: "", text: null });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("geheim");
  });

  test("a file that cannot be read stays as it is", async () => {
    const broken = { [project]: "[mcp\n" };
    expect(await after(["add", "x", "--", "c"], broken)).toEqual({
      exitCode: 1,
      text: "[mcp\n",
      stdout: "",
      stderr: expect.stringContaining(`${project} cannot be read: line 1, column `),
    });
  });

  test("a name that is taken needs --force", async () => {
    const files = { [project]: "# mine\n[mcp.servers.x]\ncommand = 'a'\n" };
    const refused = await after(["add", "x", "--", "b"], files);
    expect([refused.exitCode, refused.text]).toEqual([2, files[project] ?? ""]);
    expect(refused.stderr).toContain("Replace it with --force");
    const forced = await after(["add", "x", "--force", "--", "b"], files);
    expect([forced.exitCode, forced.text]).toEqual([
      0,
      '# mine\n\n[mcp.servers.x]\ncommand = "b"\n',
    ]);
  });

  test("home is no project", async () => {
    using tree = new TempTree();
    const words = ["mcp", "add", "x", "--", "c"];
    const { exitCode, stderr } = await runIn(tree, words, { cwd: "home" });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Use --scope user.")]);
    const again = await runIn(tree, ["mcp", "add", "x", "--scope", "global", "--", "c"], {
      cwd: "home",
    });
    expect(again.exitCode).toBe(0);
    expect(readFileSync(tree.path(global), "utf8")).toContain("[mcp.servers.x]");
  });

  test("[CL4] hides secrets and warns of those that a project's file would share", async () => {
    const words = [
      "add",
      "x",
      "--env",
      "API_KEY=hunter2",
      "--",
      "c",
      "--token",
      "hunter3",
      "ghp_0123456789012345678901234567890123",
    ];
    const inProject = await after(words);
    expect(inProject.stdout).toBe(
      '[mcp.servers.x]\ncommand = "c"\nargs = ["--token", "***", "***"]\nenv = { API_KEY = "***" }\n',
    );
    expect(inProject.stderr).toContain("env.API_KEY of x looks like a secret");
    expect(inProject.stderr).not.toContain("hunter");
    const own = await after(
      [...words.slice(0, 2), "--scope", "global", ...words.slice(2)],
      {},
      global,
    );
    expect(own.text).toContain("hunter2");
    expect(own.stderr).toStartWith(`scorpiox-code: x is in ${global}\nscorpiox-code: Test it: `);
  });

  test("[CL3] what was typed is approved, and nothing of it is in the project", async () => {
    using tree = new TempTree();
    const trust = async (): Promise<unknown[]> => {
      const { stdout } = await runIn(tree, ["mcp", "list", "--json"]);
      const { servers } = JSON.parse(stdout) as { servers: { name: string; trust: string }[] };
      return servers.map(({ name, trust }) => [name, trust]);
    };
    await runIn(tree, ["mcp", "add", "x", "--", "c"]);
    expect(await trust()).toEqual([["x", "approved"]]);
    const text = readFileSync(tree.path(project), "utf8");
    tree.put(project, text.replace('"c"', '"d"'));
    expect(await trust()).toEqual([["x", "pending"]]);
    expect(text).not.toContain("approve");
  });
});

describe("mcp add-json", () => {
  const wanted = `${head}[mcp.servers.x]\ncommand = "c"\nargs = ["a"]\nenv = { E = "1" }\n`;
  test.each([
    ['{"command": "c", "args": ["a"], "env": {"E": 1}}'],
    ['{"command": ["c", "a"], "environment": {"E": "1"}, "type": "local"}'],
    ['{"mcpServers": {"other": {"command": "c", "args": ["a"], "env": {"E": "1"}}}}'],
    [
      '{"servers": {"x": {"type": "stdio", "command": "c", "args": ["a"], "env": {"E": "1"}}, "y": {"url": "u"}}}',
    ],
    ['[{"name": "x", "command": "c", "args": ["a"], "env": {"E": "1"}}]'],
    ['{"x": {"command": "c", "args": ["a",], "env": {"E": "1"}}} // why'],
    ['{"cmd": "c", "args": ["a"], "envs": {"E": "1"}, "type": "stdio"}'],
  ])("%s", async (json) => {
    const { exitCode, text } = await after(["add-json", "x", json]);
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: wanted });
  });

  test("reads stdin", async () => {
    using tree = new TempTree();
    const stdin = ['{"serverUrl": "https://x.test/mcp",', '"timeout_ms": 5000}'];
    const { exitCode, stdout } = await runIn(tree, ["mcp", "add-json", "x", "-"], { stdin });
    expect([exitCode, stdout]).toEqual([
      0,
      '[mcp.servers.x]\nurl = "https://x.test/mcp"\ntimeout_ms = 5000\n',
    ]);
  });
});

test("[GW-05] mcp add and mcp remove leave files of all kinds as they were", async () => {
  const files = {
    [project]: "# mine\r\n[other]\r\na = 1",
    "project/.mcp.json": '{\n\t"mcpServers": {} // none\n}',
    [global]: "\uFEFF[mcp.servers.y]\ncommand = 'c'\n",
  };
  using tree = new TempTree(files);
  const places = [
    [],
    ["--scope", "global"],
    ["--file", ".mcp.json"],
    ["--file", "new.json"],
    ["--file", "new.toml"],
  ];
  for (const place of places) {
    expect((await runIn(tree, ["mcp", "add", "x", ...place, "--", "c"])).exitCode).toBe(0);
    expect((await runIn(tree, ["mcp", "remove", "x", ...place])).exitCode).toBe(0);
  }
  for (const [path, text] of Object.entries(files)) {
    expect(readFileSync(tree.path(path), "utf8")).toBe(text);
  }
  expect([
    existsSync(tree.path("project/new.json")),
    existsSync(tree.path("project/new.toml")),
  ]).toEqual([false, false]);
});

test("mcp remove says where else the server is", async () => {
  const files = { "project/.mcp.json": '{"mcpServers": {"x": {"command": "c"}}}' };
  const { exitCode, stderr } = await after(["remove", "x"], files);
  expect(exitCode).toBe(3);
  expect(stderr).toContain("mcp remove x --file project/.mcp.json");
});

const layered = {
  [global]: "[mcp.servers.a]\ncommand = 'mine'\n[mcp.servers.b]\nurl = 'https://b.test/mcp'\n",
  "project/.mcp.json": '{"mcpServers": {"a": {"command": "theirs", "disabled": false}}}',
  [project]: "[mcp.servers.c]\ncommand = 'c'\nenabled = false\n",
};

test("mcp list has every server with where it comes from", async () => {
  const { exitCode, stdout } = await after(["list", "--json"], layered);
  const { on, servers } = JSON.parse(stdout) as { on: boolean; servers: unknown[] };
  expect([exitCode, on, servers]).toEqual([
    0,
    true,
    [
      {
        name: "a",
        transport: "stdio",
        scope: "project",
        file: "project/.mcp.json",
        enabled: true,
        trust: "pending",
        standIn: { scope: "global", file: global },
        roots: null,
        launch: { command: "theirs", args: [], env: {} },
        shadowed: [{ scope: "global", file: global }],
      },
      {
        name: "b",
        transport: "http",
        scope: "global",
        file: global,
        enabled: true,
        trust: "user",
        standIn: null,
        roots: null,
        launch: { url: "https://b.test/mcp", headers: {} },
        shadowed: [],
      },
      {
        name: "c",
        transport: "stdio",
        scope: "project",
        file: project,
        enabled: false,
        trust: "pending",
        standIn: null,
        roots: null,
        launch: { command: "c", args: [], env: {} },
        shadowed: [],
      },
    ],
  ]);
  const rows = await after(["list"], layered);
  expect(rows.stdout.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
    [
      "! a",
      "stdio",
      `needs approval; until then ${global}`,
      `project: project/.mcp.json (overrides ${global})`,
      "theirs",
    ],
    ["+ b", "http", "approved", `user: ${global}`, "https://b.test/mcp"],
    ["- c", "stdio", "disabled", `project: ${project}`, "c"],
    [""],
  ]);
});

test("mcp list with nothing says how to begin", async () => {
  expect((await after(["list"])).stderr).toContain("Add one: scorpiox-code mcp add");
});

test("[CL6] mcp list of 20 servers takes less than 100 ms", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const text = names.map((name) => `[mcp.servers.${name}]\ncommand = '${name}'\n`).join("\n");
  using tree = new TempTree({ [project]: text });
  await runIn(tree, ["mcp", "list"]);
  const begunAt = performance.now();
  const { stdout } = await runIn(tree, ["mcp", "list", "--json"]);
  expect(performance.now() - begunAt).toBeLessThan(atThisLoad(100));
  expect((JSON.parse(stdout) as { servers: unknown[] }).servers.length).toBe(20);
});

test("mcp get and mcp list show of which folders a server is told", async () => {
  const files = {
    [global]:
      "[mcp.servers.a]\ncommand = 'x'\n[mcp.servers.b]\ncommand = 'x'\nargs = ['.']\n" +
      "[mcp.servers.c]\ncommand = 'x'\nroots = ['/data', 'src']\n",
  };
  const shown: unknown[] = [];
  for (const name of ["a", "b", "c"]) {
    const { stdout } = await after(["get", name, "--json"], files);
    shown.push((JSON.parse(stdout) as { fields: Record<string, unknown> }).fields["roots"]);
  }
  expect(shown).toEqual([
    { value: "client", source: "default" },
    { value: "none", source: "default" },
    { value: ["/data", "src"], source: "entry" },
  ]);
  expect((await after(["list"], files)).stdout).toMatch(/ x \(roots: \/data, src\)\n$/);
});

test("mcp get has each setting with its source, secrets hidden", async () => {
  const files = {
    [global]:
      "[mcp.servers.x]\nurl = 'https://u:p@x.test/?api_key=k&a=b'\ntimeout_ms = 5000\nheaders = { Authorization = 'Bearer ${T}', X = 'y' }\n",
  };
  const { exitCode, stdout } = await after(["get", "x", "--json"], files);
  const { fields, ...rest } = JSON.parse(stdout) as { fields: Record<string, unknown> };
  expect([exitCode, rest]).toEqual([
    0,
    {
      name: "x",
      scope: "global",
      file: global,
      trust: "user",
      identity: expect.stringMatching(/^[0-9a-f]{64}$/),
      standIn: null,
      shadowed: [],
    },
  ]);
  expect([fields.url, fields.headers, fields.timeout_ms, fields.idle_ms]).toEqual([
    { value: "https://***@x.test/?api_key=***&a=b", source: "entry" },
    { value: { Authorization: "Bearer ${T}", X: "***" }, source: "entry" },
    { value: 5000, source: "entry" },
    { value: 300_000, source: "default" },
  ]);
  expect((await after(["get", "x"], files)).stdout).toContain(`timeout_ms       5000  (${global})`);
});
