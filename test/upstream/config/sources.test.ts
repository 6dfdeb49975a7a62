import { describe, expect, test } from "bun:test";

import { serversPerFileMax } from "../../../src/base/upstream-limits.ts";
import type { UpstreamConfigParts } from "../../../src/upstream/config/upstream-start.ts";
import type { TreeEntry } from "../../config/temp-tree.ts";
import { ServerTree } from "./server-tree.ts";

interface Source {
  readonly rank: number;
  readonly trust: "user" | "project";
  readonly file: string;
  /** What it says when its server `s` is started by `command`; `more` of its entry where it can say that. */
  readonly text: (command: string, more?: object) => string;
  readonly parts?: (tree: ServerTree) => Partial<UpstreamConfigParts>;
}

const toml = (command: string, more = {}): string => {
  // A JSON string, number and array of strings is TOML too.
  const lines = Object.entries({ command, ...more }).map(([name, value]) => {
    return `${name} = ${JSON.stringify(value)}\n`;
  });
  return `[mcp.servers.s]\n${lines.join("")}`;
};
const object = (command: string, more = {}): string =>
  JSON.stringify({ mcpServers: { s: { command, ...more } } });
const list = (command: string, more = {}): string =>
  JSON.stringify([{ name: "s", command, ...more }]);
const key = (command: string, more: { readonly args?: readonly string[] } = {}): string =>
  `MCP_SERVER=s:${[command, ...(more.args === undefined ? [] : [more.args.join()])].join(":")}\n`;

const sources: readonly Source[] = [
  { rank: 1, trust: "user", file: "home/.scorpiox/config.toml", text: toml },
  { rank: 2, trust: "user", file: "home/.scorpiox/mcp_servers.json", text: list },
  { rank: 3, trust: "user", file: "home/.claude/scorpiox-env.txt", text: key },
  { rank: 4, trust: "project", file: "project/.mcp.json", text: object },
  { rank: 5, trust: "project", file: "project/mcp_servers.json", text: list },
  { rank: 6, trust: "project", file: "project/.claude/scorpiox-env.txt", text: key },
  { rank: 7, trust: "project", file: "project/.scorpiox/config.toml", text: toml },
  {
    rank: 8,
    trust: "project",
    file: "project/workspaces/w/mcp_servers.json",
    text: object,
    parts: () => ({ workspace: "w" }),
  },
  {
    rank: 9,
    trust: "user",
    file: "given.toml",
    text: toml,
    parts: (tree) => ({ configFiles: [tree.path("given.toml")] }),
  },
];

const pairs = sources.flatMap((weak, index) =>
  sources.slice(index + 1).map((strong) => [weak, strong] as const),
);

describe("[GW-01] loadUpstreamConfig(): of two sources the stronger counts as a whole", () => {
  test("there are 36 pairs", () => {
    expect(pairs.length).toBe(36);
  });

  test.each(pairs.map(([weak, strong]) => [weak.rank, strong.rank, weak, strong] as const))(
    "%d and %d",
    (_weak, _strong, weak, strong) => {
      const more = { args: ["of", "the", "weak"], cwd: "weak", timeout_ms: 5_000 };
      using tree = new ServerTree({
        [weak.file]: weak.text("w", more),
        [strong.file]: strong.text("s"),
      });
      const parts = { ...weak.parts?.(tree), ...strong.parts?.(tree) };
      const entry = tree.servers(parts).servers.get("s")?.entry;
      expect([entry?.launch, entry?.options.timeoutMs]).toEqual([
        { transport: "stdio", command: "s", args: [], env: {} },
        600_000,
      ]);
      const hides = strong.trust === "project" && weak.trust === "user";
      expect(tree.told(parts)).toEqual({
        servers: [
          `s = s (${strong.rank} ${strong.trust}), ${hides ? `stand-in ${weak.rank}, ` : ""}hides ${weak.rank}`,
        ],
        problems: [],
      });
    },
  );

  test.each(sources.map((source) => [source.rank, source] as const))(
    "%d broken takes no other along",
    (_, broken) => {
      using tree = new ServerTree();
      for (const { file, rank, text } of sources)
        tree.put(file, text("x").replace(/\bs\b/, `s${rank}`));
      tree.put(broken.file, broken.text("x").startsWith("MCP") ? "MCP_SERVER=s\n" : "{[");
      const parts = sources.map((source) => source.parts?.(tree) ?? {});
      const { servers, problems } = tree.told(Object.assign({}, ...parts));
      expect([servers.length, problems.length]).toEqual([8, 1]);
      expect(problems[0]).toStartWith(`${broken.file}:1: `);
    },
  );
});

const long = "x".repeat(100_000);

interface Row {
  readonly name: string;
  readonly files: Readonly<Record<string, TreeEntry>>;
  readonly parts?: (tree: ServerTree) => Partial<UpstreamConfigParts>;
  readonly servers: readonly string[];
  readonly problems?: readonly string[];
}

const rows: readonly Row[] = [
  { name: "nothing", files: {}, servers: [] },
  {
    name: "the environment is stronger than the files of its row, its own name than the bare one",
    files: { "home/.scorpiox/scorpiox-env.txt": "MCP_SERVER=s:file\n" },
    parts: () => ({ env: { MCP_SERVER: "s:bare", SCORPIOX_MCP_SERVER: "s:own" } }),
    servers: ["s = own (3 user), hides 3"],
  },
  {
    name: "each level adds its own; an empty value takes nothing away",
    files: {
      "home/.claude/scorpiox-env.txt": "MCP_SERVER=a:1\n",
      "home/.scorpiox/scorpiox-env.txt": "MCP_SERVER=\n",
      "project/.scorpiox/scorpiox-env.txt": "MCP_SERVER=b:2\n",
    },
    servers: ["a = 1 (3 user)", "b = 2 (6 project)"],
  },
  {
    name: "MCP_CONFIG relative to its file, MCP_FILE with ~; the key is stronger than its files",
    files: {
      "home/.scorpiox/scorpiox-env.txt": "MCP_CONFIG=more.json\nMCP_FILE=~/x.mcp\nMCP_SERVER=k:1\n",
      "home/.scorpiox/more.json": `[{"name":"k","command":"2"},{"name":"c","command":"3"}]`,
      "home/x.mcp": `{"servers":{"f":{"command":"4"}}}`,
      "project/.mcp.json": object("not looked up"),
    },
    servers: ["k = 1 (3 user), hides 3", "c = 3 (3 user)", "f = 4 (3 user)"],
  },
  {
    name: "a file that a project names is the project's, wherever it lies",
    files: {
      "project/.scorpiox/scorpiox-env.txt": "MCP_CONFIG=../../home/own.json\n",
      "home/own.json": object("x"),
    },
    servers: ["s = x (6 project)"],
  },
  {
    name: "a file in the project is the project's, whoever names it",
    files: {
      "home/.scorpiox/scorpiox-env.txt": "MCP_CONFIG=~/../project/a.json\n",
      "project/a.json": object("x"),
    },
    servers: ["s = x (3 project)"],
  },
  {
    name: "what --config names is the user's, wherever it lies; keys and servers",
    files: { "project/a.txt": "MCP_SERVER=k:1\n", "project/b": `// c\n${object("x")}` },
    parts: (tree) => ({ configFiles: [tree.path("project/a.txt"), tree.path("project/b")] }),
    servers: ["k = 1 (9 user)", "s = x (9 user)"],
  },
  {
    name: "--strict-config with a file of servers: no other source",
    files: { "home/.scorpiox/config.toml": toml("x"), "given.json": `{"mcpServers":{}}` },
    parts: (tree) => ({ isStrict: true, configFiles: [tree.path("given.json")] }),
    servers: [],
  },
  {
    name: "--strict-config with a file of keys: its servers only",
    files: {
      "home/.scorpiox/config.toml": toml("x"),
      "home/.scorpiox/scorpiox-env.txt": "MCP_SERVER=h:1\n",
      "given.txt": "MCP_SERVER=k:1\nMCP_CONFIG=more.json\n",
      "more.json": object("m"),
    },
    parts: (tree) => ({
      isStrict: true,
      configFiles: [tree.path("given.txt")],
      env: { MCP_SERVER: "e:1", MCP_FILE: tree.path("more.json") },
    }),
    servers: ["s = m (9 user)", "k = 1 (9 user)"],
  },
  {
    name: "--strict-config without --config: no source at all",
    files: {
      "home/.scorpiox/config.toml": "broken =",
      "home/.scorpiox/workspaces/w/mcp_servers.json": object("x"),
      "project/.mcp.json": object("x"),
    },
    parts: () => ({ isStrict: true, workspace: "w", env: { MCP_SERVER: "e:1" } }),
    servers: [],
  },
  {
    name: "the user's workspace where the project has none of that name",
    files: { "home/.scorpiox/workspaces/w/mcp_servers.json": object("x") },
    parts: () => ({ workspace: "w" }),
    servers: ["s = x (8 user)"],
  },
  {
    name: "a workspace that is a way to somewhere else is none",
    files: { "home/.scorpiox/mcp_servers.json": list("x") },
    parts: () => ({ workspace: ".." }),
    servers: ["s = x (2 user)"],
  },
  {
    name: "SCORPIOX_HOME in the project: what lies there is the user's, once",
    files: {
      "project/.scorpiox/config.toml": toml("x"),
      "project/.scorpiox/scorpiox-env.txt": "MCP_SERVER=k:1\n",
    },
    parts: (tree) => ({
      dirs: { ...tree.parts().dirs, scorpioxDir: tree.path("project/.scorpiox") },
    }),
    servers: ["s = x (1 user)", "k = 1 (3 user)"],
  },
  {
    name: "links of the project to the user's folders: what lies there is the user's, once",
    files: {
      "home/.scorpiox/config.toml": toml("x"),
      "home/.scorpiox/scorpiox-env.txt": "MCP_SERVER=k:1\n",
      "home/.claude/scorpiox-env.txt": "MCP_SERVER=c:1\n",
      "project/.scorpiox": { link: "home/.scorpiox" },
      "project/.claude": { link: "home/.claude" },
    },
    servers: ["s = x (1 user)", "c = 1 (3 user)", "k = 1 (3 user)"],
  },
  {
    name: "a file in the project that is named by way of a link, where the user has no folder",
    files: {
      way: { link: "project" },
      "home/.claude/scorpiox-env.txt": "MCP_CONFIG=../../way/a.json\n",
      "project/a.json": object("x"),
    },
    servers: ["s = x (3 project)"],
  },
  {
    name: "without a project its sources are empty",
    files: { "home/.mcp.json": object("x"), "project/.mcp.json": object("x") },
    parts: (tree) => ({ dirs: { ...tree.parts().dirs, projectDir: undefined } }),
    servers: [],
  },
  {
    name: "a profile of the user's and a project's of the same name",
    files: {
      "home/.scorpiox/scorpiox-env.txt": "ACTIVE_PROFILE=p\n",
      "home/.scorpiox/scorpiox-env/p.txt": "MCP_SERVER=s:own\n",
      "project/.scorpiox/scorpiox-env/p.txt": "MCP_SERVER=s:theirs\n",
    },
    servers: ["s = theirs (6 project), stand-in 3, hides 3"],
  },
  {
    name: "a project may switch a server off at once, and all of it",
    files: {
      "home/.scorpiox/config.toml": toml("x"),
      "project/.mcp.json": `{"mcpServers":{"s":{"disabled":true}}}`,
    },
    servers: ["s =  (4 project), off, hides 1"],
  },
  {
    name: "enabled = false in the winner",
    files: {
      "home/.scorpiox/config.toml": toml("x"),
      "home/.scorpiox/mcp_servers.json": `[{"name":"s","command":"y","enabled":false}]`,
    },
    servers: ["s = y (2 user), off, hides 1"],
  },
  {
    name: "a text of hostile length is no value",
    files: {
      "home/.scorpiox/config.toml": toml("x"),
      "project/.scorpiox/scorpiox-env.txt": `MCP_SERVER=${"a:b;".repeat(20_000)}\n`,
    },
    servers: ["s = x (1 user)"],
  },
  {
    name: "a name of our own, under which its tools would pass for ours",
    files: {
      "project/.mcp.json": `{"Scorpiox.Code":{"command":"x"},"scorpiox-code":{"command":"x"},"other":{"command":"y"}}`,
    },
    servers: ["Scorpiox.Code = x (4 project)", "other = y (4 project)"],
    problems: [
      'project/.mcp.json: server "scorpiox-code" is ignored: clients use this name for scorpiox-code. Give it another name.',
    ],
  },
  {
    name: "a command of hostile length takes no other along",
    files: {
      "home/.scorpiox/config.toml": toml("x"),
      "project/.mcp.json": `{"l":{"command":"${long}"}}`,
    },
    servers: ["s = x (1 user)", `l = ${long} (4 project)`],
  },
  {
    name: "no name begins a line of its own",
    files: {
      "home/.scorpiox/scorpiox-env.txt": "",
      "project/.mcp.json": `{"l":{"command":"c","env":{"A\\nb: c":[]}}}`,
    },
    servers: [],
    problems: ['project/.mcp.json:1: server "l" needs a string in env.A\\nb: c; it is ignored.'],
  },
  {
    name: "a name of hostile length makes no long message",
    files: { "project/.mcp.json": `{"l":{"command":"c","env":{"${long}":[]}}}` },
    servers: [],
    problems: [
      `project/.mcp.json:1: server "l" needs a string in env.${long.slice(0, 60)}…; it is ignored.`,
    ],
  },
  {
    name: "the strongest entry of the user stands in, whatever lies between",
    files: {
      "home/.scorpiox/config.toml": toml("1"),
      "home/.scorpiox/mcp_servers.json": list("2"),
      "project/.mcp.json": object("4"),
      "project/.scorpiox/config.toml": toml("7"),
    },
    servers: ["s = 7 (7 project), stand-in 2, hides 4,2,1"],
  },
];

describe("[GW-01] loadUpstreamConfig()", () => {
  test.each(rows)("$name", ({ files, parts, servers, problems }) => {
    using tree = new ServerTree(files);
    expect(tree.told(parts?.(tree))).toEqual({
      servers: [...servers],
      problems: [...(problems ?? [])],
    });
  });

  test.each([
    ["home/.scorpiox/scorpiox-env.txt", "MCP=0\n", {}],
    ["project/.scorpiox/scorpiox-env.txt", "MCP=off\n", {}],
    ["other", "", { MCP: "false" }],
    ["other", "", { SCORPIOX_DEPTH: "1" }],
  ])("is off by %s %s %j", (file, text, env) => {
    using tree = new ServerTree({ "home/.scorpiox/config.toml": "broken =", [file]: text });
    expect(tree.servers({ env })).toEqual({
      isOn: false,
      servers: new Map(),
      rules: [],
      problems: [],
      notices: [],
      projectDir: tree.path("project"),
    });
  });

  test.each([serversPerFileMax, serversPerFileMax + 1])(
    "%d servers in one file and one key",
    (count) => {
      const names = Array.from({ length: count }, (_, index) => index);
      using tree = new ServerTree({
        "home/.scorpiox/mcp_servers.json": JSON.stringify(
          names.map((index) => ({ name: `f${index}`, command: "x" })),
        ),
        "home/.scorpiox/scorpiox-env.txt": `MCP_SERVER=${names.map((index) => `k${index}:x`).join(";")}\n`,
      });
      const { servers, problems } = tree.told();
      expect([servers.length, problems.length]).toEqual([
        2 * serversPerFileMax,
        count > serversPerFileMax ? 2 : 0,
      ]);
    },
  );

  test("a project does not switch on what the user has switched off", () => {
    using tree = new ServerTree({
      "home/.scorpiox/scorpiox-env.txt": "MCP=0\n",
      "project/.scorpiox/scorpiox-env.txt": "MCP=1\n",
    });
    expect(tree.servers().isOn).toBe(false);
  });

  test("--strict-config leaves out no rule: what takes away counts from everywhere", () => {
    using tree = new ServerTree({
      "home/.scorpiox/scorpiox-env.txt": "MCP_DENY=a:x\n",
      "project/.scorpiox/scorpiox-env.txt": "MCP_DENY=a:y\n",
    });
    expect(tree.servers({ isStrict: true }).rules).toEqual([
      { effect: "deny", server: "a", glob: "x", trust: "user" },
      { effect: "deny", server: "a", glob: "y", trust: "project" },
    ]);
  });

  test("rules: denies add up, the strongest allow list of the user counts", () => {
    using tree = new ServerTree({
      "home/.claude/scorpiox-env.txt": "MCP_ALLOW=a:x\nMCP_DENY=mcp__b__*\n",
      "home/.scorpiox/scorpiox-env.txt": "MCP_ALLOW=a:y,{z,w}_*;c:*\n",
      "project/.scorpiox/scorpiox-env.txt": "MCP_ALLOW=a:*\nMCP_DENY=a:y\n",
    });
    expect(tree.servers().rules).toEqual([
      { effect: "deny", glob: "mcp__b__*", trust: "user" },
      { effect: "deny", server: "a", glob: "y", trust: "project" },
      { effect: "allow", server: "a", glob: "y", trust: "user" },
      { effect: "allow", server: "a", glob: "{z,w}_*", trust: "user" },
      { effect: "allow", server: "c", glob: "*", trust: "user" },
    ]);
  });
});
