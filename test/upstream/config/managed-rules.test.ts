import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";

import { managedFileOf } from "../../../src/upstream/config/read-managed-rules.ts";
import { ServerTree } from "./server-tree.ts";

const file = "machine/config.toml";
const everything = { effect: "deny", glob: "*", trust: "managed", file } as const;
const blocked = "tools of MCP servers are blocked until this is fixed.";

/** What the administrator's file makes of the configuration. */
function read(tree: ServerTree): object {
  const { isOn, rules, problems, notices } = tree.servers();
  const told = (texts: readonly string[]): readonly string[] =>
    texts.map((text) => tree.relative(text));
  return {
    isOn,
    rules: rules.map((rule) => ({ ...rule, ...(rule.file && { file: tree.relative(rule.file) }) })),
    told: [...told(problems), ...told(notices)],
  };
}

describe("[GW-23] the administrator's rules", () => {
  test.each([
    ["linux", "/etc/scorpiox"],
    ["darwin", "/Library/Application Support/scorpiox"],
    ["win32", "C:\\ProgramData\\scorpiox"],
    ["freebsd", "/etc/scorpiox"],
  ] as const)("are in a fixed place on %s: %s", (platform, folder) => {
    expect(managedFileOf({}, platform)).toBe(join(folder, "config.toml"));
  });

  const rule = (effect: "allow" | "deny", glob: string, server?: string): object => {
    return { effect, glob, ...(server !== undefined && { server }), trust: "managed", file };
  };

  test.each([
    ["", { rules: [] }],
    ["[mcp]\n", { rules: [] }],
    [
      `[mcp]\ndeny = ["github:delete_*,fork", "mcp__x__*"]\nallow = ["*:{a,b}"]\n`,
      {
        rules: [
          rule("deny", "delete_*", "github"),
          rule("deny", "fork", "github"),
          rule("deny", "mcp__x__*"),
          rule("allow", "{a,b}", "*"),
        ],
      },
    ],
    ["mcp.allow = []\n", { rules: [rule("allow", "")] }],
    [`mcp.allow = [" ; "]\n`, { rules: [rule("allow", "")] }],
    [`mcp.deny = []\n`, { rules: [] }],
    [
      `mcp.enabled = false\nmcp.deny = ["x"]\n`,
      {
        isOn: false,
        rules: [rule("deny", "x")],
        told: [`${file}: the administrator has switched MCP servers off.`],
      },
    ],
    [
      `deny = ["x"]\n[mcp]\ndenny = ["x"]\n[mcp.servers.s]\ncommand = "x"\n`,
      {
        rules: [],
        told: ["deny", "mcp.denny", "mcp.servers"].map(
          (name) =>
            `${file}: "${name}" is ignored: only mcp.enabled, mcp.allow, mcp.deny are used here.`,
        ),
      },
    ],
    // What cannot be used may have denied anything.
    [
      "[mcp]\ndeny = [x]\n",
      {
        rules: [everything],
        told: [`${file}:2: column 9: invalid value; strings must be quoted; ${blocked}`],
      },
    ],
    [`mcp = 0\n`, { rules: [everything], told: [`${file}: mcp must be a table; ${blocked}`] }],
    [
      `mcp.enabled = 0\n`,
      { rules: [everything], told: [`${file}: mcp.enabled must be true or false; ${blocked}`] },
    ],
    [
      `mcp.deny = "x"\n`,
      { rules: [everything], told: [`${file}: mcp.deny must be a list of strings; ${blocked}`] },
    ],
    [
      `mcp.allow = ["x", 1]\n`,
      { rules: [everything], told: [`${file}: mcp.allow must be a list of strings; ${blocked}`] },
    ],
  ])("%j", (text, expected) => {
    using tree = new ServerTree({ [file]: text });
    expect(read(tree)).toEqual({ isOn: true, told: [], ...expected });
  });

  test("a folder in its place denies everything", () => {
    using tree = new ServerTree({ [file]: { dir: true } });
    expect(read(tree)).toEqual({
      isOn: true,
      rules: [everything],
      told: [`${file}: this file is a directory; ${blocked}`],
    });
  });

  // Windows has no such bit.
  test.skipIf(process.platform === "win32").each([
    [file, 0o666],
    ["machine", 0o777],
  ])("count for nothing where everybody may write %s", (path, mode) => {
    using tree = new ServerTree({ [file]: `mcp.allow = []\n` });
    chmodSync(tree.path(path), mode);
    expect(read(tree)).toEqual({
      isOn: true,
      rules: [],
      told: [`${file}: everybody may write this file or its folder; its rules are ignored.`],
    });
    chmodSync(tree.path(path), mode & 0o775);
    expect(tree.servers().rules.length).toBe(1);
  });

  test.each([
    ["a bare environment", {}],
    ["--strict-config", { isStrict: true }],
    ["--strict-config with a file", { isStrict: true, config: "given.json" }],
    ["MCP switched off", { env: { MCP: "0" } }],
    ["another process of ours", { env: { SCORPIOX_DEPTH: "1" } }],
    ["variables that name folders", { env: { ProgramData: "/x", SCORPIOX_HOME: "/x" } }],
    ["no project", { isHomeless: true }],
  ])("are there with %s", (_, { config, isHomeless, ...parts }: Parts) => {
    using tree = new ServerTree({ [file]: `mcp.deny = ["x"]\n`, "given.json": "{}" });
    const { projectDir, ...dirs } = tree.parts().dirs;
    const { rules } = tree.servers({
      ...parts,
      dirs: { ...dirs, projectDir: isHomeless ? undefined : projectDir },
      configFiles: config === undefined ? [] : [tree.path(config)],
    });
    expect(rules).toEqual([{ effect: "deny", glob: "x", trust: "managed", file: tree.path(file) }]);
  });

  test("come before those of users and projects", () => {
    using tree = new ServerTree({
      [file]: `mcp.deny = ["x"]\n`,
      "home/.scorpiox/scorpiox-env.txt": "MCP_DENY=y\nMCP_ALLOW=z\n",
    });
    expect(tree.servers().rules.map(({ trust, glob }) => `${trust} ${glob}`)).toEqual([
      "managed x",
      "user y",
      "user z",
    ]);
  });
});

interface Parts {
  readonly isStrict?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly isHomeless?: boolean;
}
