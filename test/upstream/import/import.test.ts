import { join } from "node:path";
import { describe, expect, test } from "bun:test";

import { clientFilesCases } from "./client-files.ts";
import { filesOfClient, importClients } from "../../../src/upstream/import/client-files.ts";
import { foreignEntry } from "../../../src/upstream/import/foreign-entry.ts";
import { readForeignFile } from "../../../src/upstream/import/read-foreign-file.ts";
import { runIn } from "../../cli/fake-io.ts";
import { TempTree } from "../../config/temp-tree.ts";

const dirs = { homeDir: "/h", projectDir: "/p" };

describe("mcp import takes the servers of", () => {
  test.each(clientFilesCases)("$client", async ({ client, file, text, entries }) => {
    using tree = new TempTree({ [file]: text });
    // A file of the project becomes the user's own only when it is named itself.
    const source = file.startsWith("project/") ? tree.path(file) : client;
    const words = ["mcp", "import", source, "--scope", "global", "--json"];
    const { exitCode, stdout } = await runIn(tree, words, {
      env: { APPDATA: tree.path("home/roaming") },
    });
    const read = JSON.parse(stdout) as {
      from: string[];
      servers: { name: string; entry: unknown }[];
    };
    expect([exitCode, read.from]).toEqual([0, [file]]);
    expect(Object.fromEntries(read.servers.map(({ name, entry }) => [name, entry]))).toEqual(
      entries,
    );
    const list = await runIn(tree, ["mcp", "list", "--json"], { cwd: "home" });
    const { servers } = JSON.parse(list.stdout) as { servers: { name: string }[] };
    expect(servers.map(({ name }) => name)).toEqual(Object.keys(entries).toSorted());
  });
});

test("every client has an id of its own and files on every system", () => {
  expect(new Set(importClients.map(({ id }) => id)).size).toBe(importClients.length);
  for (const client of importClients) {
    for (const platform of ["darwin", "win32", "linux"] as const) {
      expect(filesOfClient(client, dirs, {}, platform).length).toBeGreaterThan(0);
    }
  }
});

test.each([
  [
    "claude-desktop",
    "darwin",
    {},
    ["/h/Library/Application Support/Claude/claude_desktop_config.json"],
  ],
  ["vscode", "win32", { APPDATA: "/r" }, ["/r/Code/User/mcp.json", "/p/.vscode/mcp.json"]],
  ["goose", "win32", {}, ["/h/AppData/Roaming/Block/goose/config/config.yaml"]],
  [
    "claude-code",
    "linux",
    { CLAUDE_CONFIG_DIR: "/c" },
    ["/c/.claude.json", "/h/.claude.json", "/p/.mcp.json"],
  ],
  ["codex", "freebsd", { CODEX_HOME: "" }, ["/h/.codex/config.toml", "/p/.codex/config.toml"]],
] as const)("filesOfClient of %s on %s with %j", (id, platform, env, files) => {
  const client = importClients.find((one) => one.id === id);
  expect(client === undefined ? [] : filesOfClient(client, dirs, env, platform)).toEqual([
    ...files,
  ]);
});

test("without a project, a client's files in projects are none", () => {
  const cursor = importClients.find(({ id }) => id === "cursor");
  const places = { homeDir: "/h", projectDir: undefined };
  expect(cursor && filesOfClient(cursor, places, {}, "linux")).toEqual(["/h/.cursor/mcp.json"]);
});

describe("foreignEntry", () => {
  test.each<[unknown, unknown]>([
    [
      { httpUrl: "https://a.test", http_headers: { A: "b" }, bearer_token_env_var: "T" },
      { url: "https://a.test", headers: { A: "b", Authorization: "Bearer ${T}" } },
    ],
    [
      { url: "https://a.test", env_http_headers: { "X-A": "VAR" } },
      { url: "https://a.test", headers: { "X-A": "${VAR}" } },
    ],
    [
      { command: "c", startup_timeout_sec: 2.5, tool_timeout_sec: 60 },
      { command: "c", timeout_ms: 60_000, init_timeout_ms: 2_500 },
    ],
    [{ command: "c", timeout: 60 }, { command: "c" }],
    [
      { command: "c", includeTools: ["a"], excludeTools: ["b"] },
      { command: "c", allow: ["a"], deny: ["b"] },
    ],
    [{ command: "c", args: [], env: {}, cwd: "", disabled: false }, { command: "c" }],
    [
      { command: { path: "c", args: ["a"], env: { B: "c" } } },
      { command: "c", args: ["a"], env: { B: "c" } },
    ],
    [
      { command: "c", oauth: { client_id: "x" }, tools_prefix: "p" },
      { command: "c", oauth: { client_id: "x" }, tools_prefix: "p" },
    ],
  ])("%j becomes %j", (value, entry) => {
    expect(foreignEntry(value, {})).toEqual({
      kind: "entry",
      entry: entry as Record<string, unknown>,
      notes: [],
    });
  });

  test.each([
    [null, "must be a table of settings"],
    [{}, "has neither a command nor a url"],
    [{ type: "builtin", name: "developer" }, "has neither a command nor a url"],
    [{ command: 5 }, "has neither a command nor a url"],
    [{ command: "" }, "has neither a command nor a url"],
  ])("%j %s", (value, text) => {
    expect(foreignEntry(value, {})).toEqual({ kind: "fault", text });
  });
});

describe("mcp import", () => {
  const servers = {
    good: { command: "c", autoApprove: ["x"] },
    "my server": { command: "c" },
    scorpiox: { command: "/usr/bin/scorpiox-code", args: [] },
    broken: { args: [] },
    both: { command: "c", url: "https://x.test" },
    old: { command: "new" },
  };
  const files = {
    "project/other.json": JSON.stringify({ mcpServers: servers }),
    "project/.scorpiox/config.toml": "[mcp.servers.old]\ncommand = 'old'\n",
  };
  const read = (stdout: string): unknown =>
    (
      JSON.parse(stdout) as { servers: { name: string; action: string; reason?: string }[] }
    ).servers.map(({ name, action, reason }) => [name, action, reason]);
  const same = [
    ["good", "add", undefined],
    ["my-server", "add", undefined],
    ["scorpiox", "skip", "is this program itself"],
    ["broken", "skip", "has neither a command nor a url"],
    ["both", "add", undefined],
  ];

  test("shows what would be written, and writes nothing", async () => {
    using tree = new TempTree(files);
    const words = ["mcp", "import", "other.json", "--dry-run"];
    const { exitCode, stdout, stderr } = await runIn(tree, words);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('[mcp.servers.good]\ncommand = "c"\n');
    expect(stdout).toContain("# skipped: scorpiox is this program itself\n");
    expect(stderr).toContain("warning: good had autoApprove");
    expect(stderr).toContain("Nothing was written");
    const list = await runIn(tree, ["mcp", "list", "--json"]);
    expect((JSON.parse(list.stdout) as { servers: unknown[] }).servers.length).toBe(1);
  });

  test("keeps what is there, or replaces it with --force; nothing is approved by it", async () => {
    using tree = new TempTree(files);
    const first = await runIn(tree, ["mcp", "import", "other.json", "--json"]);
    expect(read(first.stdout)).toEqual([...same, ["old", "keep", undefined]]);
    const second = await runIn(tree, ["mcp", "import", "other.json", "--json", "--force"]);
    expect((read(second.stdout) as string[][]).at(-1)).toEqual([
      "old",
      "replace",
      undefined,
    ] as unknown as string[]);
    const list = await runIn(tree, ["mcp", "list", "--json"]);
    const rows = (JSON.parse(list.stdout) as { servers: { trust: string }[] }).servers;
    expect(new Set(rows.map(({ trust }) => trust))).toEqual(new Set(["pending"]));
  });

  test("[GW-06] what a project names for another client does not become the user's own by the way", async () => {
    const oauth = { grant: "workload", client_id: "c", workload_token_file: "~/.netrc" };
    const evil = {
      evil: { command: "c", policy: "allow", auto_approve: true, inherit_env: ["A"], oauth },
    };
    using tree = new TempTree({
      "home/.cursor/mcp.json": JSON.stringify({ mcpServers: { mine: { command: "c" } } }),
      "project/.cursor/mcp.json": JSON.stringify({ mcpServers: evil }),
    });
    const global = await runIn(tree, ["mcp", "import", "cursor", "--scope", "global", "--json"]);
    expect(read(global.stdout)).toEqual([["mine", "add", undefined]]);
    expect(global.stderr).toContain(
      "project/.cursor/mcp.json is skipped: it belongs to the project.",
    );
    const named = ["mcp", "import", ".cursor/mcp.json", "--scope", "global"];
    const { stdout, stderr } = await runIn(tree, named);
    expect(stdout).toBe('[mcp.servers.evil]\ncommand = "c"\n');
    for (const key of ["policy", "auto_approve", "inherit_env", "oauth"]) {
      expect(stderr).toContain(`warning: evil had ${key}: it is not imported`);
    }
    const ownProject = await runIn(tree, ["mcp", "import", "cursor", "--json"]);
    expect(read(ownProject.stdout)).toEqual([
      ["mine", "add", undefined],
      ["evil", "add", undefined],
    ]);
  });

  test.each([
    ["other.json", "{", 1, "other.json cannot be read: line 1, column 2"],
    ["other.toml", "[", 1, "other.toml cannot be read: line 1"],
    ["other.yaml", "a: [", 1, "other.yaml cannot be read: "],
    ["other.yaml", "mcpServers: &m { a: { command: c, oauth: *m } }", 1, "cyclic"],
    ["other.yaml", "a: &m [*m, *m, *m]", 1, "cyclic"],
    [
      "other.yaml",
      "a: *hunter2",
      1,
      "other.yaml cannot be read: it is not YAML (Unresolved alias).",
    ],
    ["other.json", "{}", 0, "There are no servers in project/other.json"],
  ])("%s with %j", async (name, text, code, message) => {
    using tree = new TempTree({ [`project/${name}`]: text });
    const { exitCode, stderr } = await runIn(tree, ["mcp", "import", name]);
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  test.each([
    ["json", `[${"{},".repeat(1_000_000)}{}]`, "it has more than 1000000 values"],
    ["json", `[ // comments\n${"{},".repeat(200_000)}{}]`, "it has more than 200000 values"],
    ["json", "-".repeat(5_000_000), "it has more than 4194304 bytes"],
    ["yaml", `[${"{},".repeat(200_000)}{}]`, "it has more than 200000 values"],
    ["yaml", "- a\n".repeat(250_000), "it has more than 200000 values"],
    ["yaml", "- ".repeat(1_000_000), "it is nested too deeply"],
    [
      "yaml",
      `a: &a "${"x".repeat(50_000)}"\nb: [${"*a, ".repeat(20_000)}*a]`,
      "it has 20001 aliases, which may repeat long texts",
    ],
    [
      "yaml",
      `a: &a "${"x".repeat(100_000)}"\nb: [${"*a, ".repeat(99)}*a]`,
      "its aliases make more than 4194304 characters of it",
    ],
  ])("%s that weighs more than it seems is not taken (%#)", (extension, text, message) => {
    using tree = new TempTree({ [`project/other.${extension}`]: text });
    const file = tree.path(`project/other.${extension}`);
    expect(() => readForeignFile(file, undefined)).toThrow(`${file} cannot be read: ${message}.`);
  });

  test("a folder in the place of a file is refused, and what is not there is nothing", () => {
    using tree = new TempTree({ "project/dir": { dir: true } });
    expect(() => readForeignFile(tree.path("project/dir"), undefined)).toThrow("is not a file");
    expect(readForeignFile(tree.path("project/none.json"), undefined)).toBeUndefined();
  });
});

test("docs/mcp-servers.md names every client that can be imported from", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs/mcp-servers.md")).text();
  const unnamed = importClients.filter(({ id }) => !page.includes(`\`${id}\``));
  expect(unnamed).toEqual([]);
});
