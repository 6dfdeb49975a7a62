import { describe, expect, test } from "bun:test";

import { loadConfig } from "../../../src/config/load-config.ts";
import { mayHaveServers, isNested } from "../../../src/upstream/config/upstream-start.ts";
import { ServerTree } from "./server-tree.ts";

interface Row {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly workspace?: string;
  readonly may: boolean;
}

const server = `{"mcpServers":{"a":{"command":"x"}}}`;

const rows: readonly Row[] = [
  { name: "nothing", may: false },
  {
    name: "files without servers",
    files: {
      "project/.mcp.json": `{"mcpServers":{}}`,
      "home/.scorpiox/config.toml": "# none\n",
      "home/.scorpiox/scorpiox-env.txt": "MCP=1\nMCP_SERVER=\nMCP_DENY=x\n",
    },
    may: false,
  },
  { name: "MCP=0", files: { "project/.mcp.json": server }, env: { MCP: "0" }, may: false },
  {
    name: "a nested process",
    files: { "project/.mcp.json": server },
    env: { SCORPIOX_DEPTH: "1" },
    may: false,
  },
  {
    name: "the depth of the outermost",
    files: { "project/.mcp.json": server },
    env: { SCORPIOX_DEPTH: "0" },
    may: true,
  },
  { name: "the environment", env: { SCORPIOX_MCP_SERVER: "a:b" }, may: true },
  {
    name: "a weaker level, hidden by an empty value",
    files: {
      "home/.claude/scorpiox-env.txt": "MCP_SERVER=a:b\n",
      "project/.scorpiox/scorpiox-env.txt": "MCP_SERVER=\n",
    },
    may: true,
  },
  { name: "MCP_FILE", files: { "project/.scorpiox/scorpiox-env.txt": "MCP_FILE=x\n" }, may: true },
  { name: "source 1", files: { "home/.scorpiox/config.toml": "[mcp.servers.a]\n" }, may: true },
  { name: "source 2", files: { "home/.scorpiox/mcp_servers.json": server }, may: true },
  { name: "source 4", files: { "project/.mcp.json": server }, may: true },
  { name: "source 5", files: { "project/mcp_servers.json": `[{"serverUrl":"x"}]` }, may: true },
  {
    name: "source 7",
    files: { "project/.scorpiox/config.toml": "mcp.servers.a.url = 1" },
    may: true,
  },
  {
    name: "source 8",
    files: { "project/workspaces/w/mcp_servers.json": server },
    workspace: "w",
    may: true,
  },
  {
    name: "source 8 of another workspace",
    files: { "project/workspaces/w/mcp_servers.json": server },
    may: false,
  },
  {
    name: "ourselves only",
    files: {
      "project/.mcp.json": `{"mcpServers":{"scorpiox-code":{"command":"~/.scorpiox/scorpiox-code"}}}`,
      "home/.scorpiox/mcp_servers.json": `[{"name":"x","command" : "C:\\\\bin\\\\scorpiox-code.exe"}]`,
    },
    may: false,
  },
  {
    name: "ourselves and another",
    files: {
      "project/.mcp.json": `{"mcpServers":{"a":{"command":"scorpiox-code"},"b":{"httpUrl":"https://h"}}}`,
    },
    may: true,
  },
  {
    name: "a longer name",
    files: { "project/.mcp.json": `{"mcpServers":{"a":{"command":"my-scorpiox-code"}}}` },
    may: true,
  },
  { name: "source 9", files: { "x.json": "{}" }, config: "x.json", may: true },
  { name: "source 9 with keys", files: { x: "MCP_SERVER=a:b\n" }, config: "x", may: true },
  { name: "source 9 with other keys", files: { x: "TOOLS=1\n" }, config: "x", may: false },
];

describe("mayHaveServers()", () => {
  test.each(rows)("$name: $may", (row) => {
    using tree = new ServerTree(row.files);
    const configFiles = row.config === undefined ? [] : [tree.path(row.config)];
    const { dirs, env } = tree.parts({ env: row.env ?? {} });
    const may = mayHaveServers({
      dirs,
      workspaceName: row.workspace,
      config: loadConfig({ ...dirs, env, configFiles }),
      upstream: {
        configFiles,
        isStrict: false,
        defer: "auto",
        onChange: "block",
        trustsProject: false,
        isNested: isNested(env),
      },
    });
    expect(may).toBe(row.may);
    // It may be true for nothing, never false for something.
    const { servers } = tree.servers({ env, configFiles, workspace: row.workspace });
    if (!may) expect(servers.size).toBe(0);
  });
});
