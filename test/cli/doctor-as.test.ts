import { describe, expect, test } from "bun:test";

import type { CliServices } from "../../src/cli/command.ts";
import { doctor, findingsOf, type JsonFinding, program, treeOf, trial } from "./doctor-run.ts";

describe("[IN21] doctor --as starts the program as that client does", () => {
  const shell = {
    HOME: "/h",
    EDITOR: "vi",
    LANG: "C.UTF-8",
    MY_TOKEN: "x",
    GITHUB_TOKEN: "x",
    SCORPIOX_MODEL: "opus",
  };
  const forms = { elicitation: { form: {}, url: {} } };
  const bare = "/usr/bin:/bin:/usr/sbin:/sbin";

  test.each([
    [
      "claude-desktop",
      [
        ["--client", "claude-desktop"],
        "claude-ai",
        "2025-06-18",
        {},
        bare,
        ["HOME", "LANG", "TMPDIR"],
      ],
    ],
    [
      "claude-code",
      [
        ["--client", "claude-code", "--defer", "off"],
        "claude-code",
        "2026-07-28",
        { roots: { listChanged: true }, ...forms },
        "path",
        ["EDITOR", "GITHUB_TOKEN", "HOME", "LANG", "MY_TOKEN", "SCORPIOX_MODEL", "TMPDIR"],
      ],
    ],
    [
      "codex",
      [
        ["--client", "codex"],
        "codex-mcp-client",
        "2025-06-18",
        { experimental: { "codex/auth-change": {} }, ...forms },
        "path",
        ["HOME", "LANG", "TMPDIR"],
      ],
    ],
    [
      "gemini",
      [
        ["--client", "gemini-cli"],
        "gemini-cli-mcp-client",
        "2025-06-18",
        { roots: { listChanged: true } },
        "path",
        ["EDITOR", "HOME", "LANG", "SCORPIOX_MODEL", "TMPDIR"],
      ],
    ],
    ["sdk-v1", [[], "sdk-v1", "2025-11-25", {}, "path", ["HOME"]]],
  ])("%s", async (client, expected) => {
    using tree = treeOf({});
    const asked: unknown[] = [];
    const tryClientEntry: CliServices["tryClientEntry"] = ([, ...args], how) => {
      const { PATH, ...env } = how.env;
      const names = Object.keys(env).filter((name) => !/^SCORPIOX_(?:CHROME|HOME)$/.test(name));
      asked.push([
        args,
        how.clientName,
        how.revision,
        how.capabilities,
        PATH === bare ? bare : tree.relative(PATH ?? ""),
        names.toSorted(),
      ]);
      return Promise.resolve(trial);
    };
    await doctor(tree, { words: ["--as", client], services: { tryClientEntry }, env: shell });
    expect(asked).toEqual([expected]);
  });

  test.each([
    [{ args: ["--old-flag"], env: { SCORPIOX_HOME: "/elsewhere" } }, ["--old-flag"], "/elsewhere"],
    [{}, [], "home/.scorpiox"],
    [undefined, ["--client", "cursor", "--defer", "off"], "home/.scorpiox"],
  ])("with the words and variables of the entry that is there (%j)", async (own, args, home) => {
    using tree = treeOf({ files: { "home/.cursor/x": "" } });
    if (own !== undefined) {
      const entry = { command: tree.path(program), ...own };
      tree.put("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { "scorpiox-code": entry } }));
    }
    const asked: unknown[] = [];
    const tryClientEntry: CliServices["tryClientEntry"] = (words, { env }) => {
      const place = tree.relative(env["SCORPIOX_HOME"] ?? "");
      asked.push([words.map((word) => tree.relative(word)), place]);
      return Promise.resolve(trial);
    };
    const env = { SCORPIOX_HOME: tree.path("home/.scorpiox") };
    await doctor(tree, { words: ["--as", "cursor"], services: { tryClientEntry }, env });
    expect(asked).toEqual([[[program, ...args], home]]);
  });

  test.each([
    ["codex", "mcp__scorpiox_code/Bash"],
    ["opencode", "scorpiox-code_Bash"],
    ["continue", "Bash"],
  ])("%s shows its model %s", async (client, shown) => {
    using tree = treeOf({});
    const findings = await findingsOf(tree, { words: ["--as", client] });
    expect(findings.find(({ facts }) => facts !== undefined)?.facts).toMatchObject({
      tools: [{ name: "Bash", shown, descriptionChars: 15 }],
    });
  });

  test("names that the client shortens are a note, once", async () => {
    using tree = treeOf({});
    const tools = ["a", "b"].map((letter) => ({ name: letter.repeat(44) }));
    const services = { tryClientEntry: () => Promise.resolve({ ...trial, tools }) };
    const findings = await findingsOf(tree, { words: ["--as", "qwen"], services });
    const kept = (letter: string): string => `mcp__scorpiox-code__${letter.repeat(35)}…`;
    expect(findings.find(({ facts }) => facts !== undefined)?.facts).toMatchObject({
      tools: [{ shown: kept("a") }, { shown: kept("b") }],
    });
    expect(findings.filter(({ text }) => text.includes("shortens"))).toEqual([
      expect.objectContaining({
        state: "note",
        text: `the client shortens mcp__scorpiox-code__${"a".repeat(44)} to 63 characters, and 1 more`,
      }),
    ]);
  });

  test.each([
    ["true", null],
    ["false", "mcp__scorpiox-code__mcp__docs__read"],
  ])("a client that searches by itself (%s) is shown what is marked", async (search, shown) => {
    using tree = treeOf({});
    const tools = [
      { name: "Bash", description: "x".repeat(5_000), _meta: { "anthropic/alwaysLoad": true } },
      { name: "mcp__docs__read", description: "Reads." },
    ];
    const { stdout } = await doctor(tree, {
      words: ["--as", "claude-code", "--json"],
      services: { tryClientEntry: () => Promise.resolve({ ...trial, tools }) },
      env: { MY_TOKEN: "hunter2", ENABLE_TOOL_SEARCH: search },
    });
    const { findings } = JSON.parse(stdout) as { findings: readonly JsonFinding[] };
    expect(findings.find(({ facts }) => facts !== undefined)?.facts?.tools).toEqual([
      { name: "Bash", shown: "mcp__scorpiox-code__Bash", descriptionChars: 4096 },
      { name: "mcp__docs__read", shown, descriptionChars: 6 },
    ]);
    const texts = findings.map(({ text }) => text);
    expect(texts.includes("the model searches for 1 of them")).toBe(shown === null);
    // Values of variables may be secrets.
    expect(stdout).not.toContain("hunter2");
  });
});

test("a proxy that the client does not pass on is told", async () => {
  using tree = treeOf({ files: { "home/.config/Claude/x": "" } });
  using proxy = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const textsAs = async (words: readonly string[]): Promise<readonly string[]> => {
    return (await findingsOf(tree, { env, words }))
      .filter(({ area }) => area === "network")
      .map(({ state, text }) => `${state}: ${text.replace(/:\d+/, "")}`);
  };
  const reached = "ok: the proxy http://127.0.0.1 takes connections";
  expect(await textsAs([])).toEqual([reached]);
  expect(await textsAs(["--as", "claude-code"])).toEqual([reached]);
  expect(await textsAs(["--as", "claude-desktop"])).toEqual([
    reached,
    "note: the client does not pass the proxy http://127.0.0.1 on: pages and searches go without it there",
  ]);
});
