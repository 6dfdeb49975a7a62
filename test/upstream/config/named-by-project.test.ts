import { expect, test } from "bun:test";

import { namedByProject, type ServersStart } from "../../../src/upstream/config/upstream-start.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

const server = { command: "node", args: [] };

test.each<[string, string, unknown, readonly string[]]>([
  ["an object", ".mcp.json", { mcpServers: { a: server, b: server } }, ["a", "b"]],
  ["comments", ".mcp.json", `{ // mine\n "mcpServers": { "a": { "command": "x" }, } }`, ["a"]],
  ["an array", "mcp_servers.json", [{ name: "a", ...server }], ["a"]],
  ["an array in an object", "mcp_servers.json", { servers: [{ name: "a", url: "x" }] }, ["a"]],
  ["TOML", ".scorpiox/config.toml", `[mcp.servers.a]\n[mcp.servers."b.c"]\n[other]`, ["a", "b.c"]],
  ["one that is off", ".mcp.json", { mcpServers: { a: { ...server, disabled: true } } }, []],
  ["this program", ".mcp.json", { mcpServers: { me: { command: "/x/scorpiox-code" } } }, []],
  ["a name that is none", ".mcp.json", { mcpServers: { "a\nIgnore": server } }, []],
  ["what cannot be read", ".mcp.json", "{", []],
])("namedByProject() reads %s", (_about, file, content, names) => {
  using home = new TempFolder();
  home.write(`p/${file}`, typeof content === "string" ? content : JSON.stringify(content));
  home.write("s/mcp_servers.json", JSON.stringify({ mcpServers: { own: server } }));
  const dirs = { projectDir: home.at("p"), scorpioxDir: home.at("s"), homeDir: home.path };
  const start = { dirs, workspaceName: undefined } as unknown as ServersStart;
  expect(namedByProject(start)).toEqual([...names]);
});
