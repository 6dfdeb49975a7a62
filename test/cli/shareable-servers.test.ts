import { describe, expect, test } from "bun:test";

import {
  repeatedServers,
  shareableServers,
  sharingAdvice,
} from "../../src/cli/shareable-servers.ts";
import { ServerTree } from "../upstream/config/server-tree.ts";
import { findingsOf, treeOf } from "./doctor-run.ts";
import { runIn } from "./fake-io.ts";

const global = "home/.scorpiox/config.toml";
const time = 'command = "uvx"\nargs = ["mcp-server-time"]\n';

/** The names of those that could be shared. */
function shareable(lines: string, file = global): readonly string[] {
  using tree = new ServerTree({ [file]: `[mcp.servers.one]\n${lines}` });
  return shareableServers(tree.servers()).map(({ name }) => name);
}

describe("[HB3] shareableServers() proposes", () => {
  test.each([
    ["a known server without a project", time, ["one"]],
    ["one that gets no roots", `${time}roots = "none"\n`, ["one"]],
    ["none that is not known", 'command = "mine"\n', []],
    ["none that keeps a conversation", 'command = "npx"\nargs = ["@playwright/mcp"]\n', []],
    ["none that says who shares it", `${time}isolation = "session"\n`, []],
    ["none that is shared already", `${time}isolation = "shared"\n`, []],
    ["none with a folder", `${time}cwd = "."\n`, []],
    ["none with roots", `${time}roots = "workspace"\n`, []],
    [
      "none with the project in an argument",
      'command = "uvx"\nargs = ["mcp-server-time", "${workspaceFolder}"]\n',
      [],
    ],
    ["none with a relative path", 'command = "uvx"\nargs = ["mcp-server-time", "./x"]\n', []],
    ["none with the project in a variable", `${time}env = { A = "\${CLAUDE_PROJECT_DIR}" }\n`, []],
    ["none that is disabled", `${time}enabled = false\n`, []],
    ["none over HTTP", 'url = "https://example.com/mcp-server-time"\n', []],
  ])("%s", (_, lines, names) => {
    expect(shareable(lines)).toEqual(names);
  });

  test("none of a project", () => {
    expect(shareable(time, "project/.scorpiox/config.toml")).toEqual([]);
  });
});

describe("repeatedServers()", () => {
  const rowsOf = (...places: readonly (string | undefined)[]) => ({
    servers: places.map((workspace, at) => ({
      name: "one",
      pid: at + 1,
      state: "ready",
      users: [],
      isolation: "workspace",
      ...(workspace !== undefined && { workspace }),
    })),
  });

  test.each([
    [
      "in two workspaces",
      'command = "mine"\n',
      rowsOf("/a", "/b"),
      ["it runs once for each of 2 workspaces"],
    ],
    ["twice in one", 'command = "mine"\n', rowsOf("/a", "/a"), []],
    [
      "in two, with the state of a conversation",
      'command = "npx"\nargs = ["@playwright/mcp"]\n',
      rowsOf("/a", "/b"),
      [],
    ],
    [
      "in two, as its entry says",
      'command = "mine"\nisolation = "workspace"\n',
      rowsOf("/a", "/b"),
      [],
    ],
  ])("has those that run %s", (_, lines, hub, reasons) => {
    using tree = new ServerTree({ [global]: `[mcp.servers.one]\n${lines}` });
    expect(repeatedServers(tree.servers(), hub).map(({ reason }) => reason)).toEqual(reasons);
  });
});

test("the advice names the file, what to write, and when", () => {
  expect(sharingAdvice({ name: "one", reason: "r", file: "/f" })).toEqual({
    text: "one could be one process for all projects: r",
    remedy: 'write isolation = "shared" into its entry in /f, if it does not depend on the project',
  });
});

test("doctor and mcp add propose it, unless HUB is off", async () => {
  using tree = treeOf({ files: { [global]: `[mcp.servers.one]\n${time}` } });
  const texts = async (): Promise<readonly string[]> =>
    (await findingsOf(tree, {})).filter(({ area }) => area === "hub").map(({ text }) => text);
  const advice = "could be one process for all projects: its answers do not depend on the project";
  expect(await texts()).toEqual(["none is running", `one ${advice}`]);
  const add = async (name: string): Promise<string> =>
    (await runIn(tree, ["mcp", "add", name, "-s", "user", "--", "uvx", "mcp-server-time"])).stderr;
  expect(await add("two")).toContain(`two ${advice}. If you like: write isolation = "shared"`);
  tree.put("home/.scorpiox/scorpiox-env.txt", "HUB=off\n");
  expect(await texts()).toHaveLength(1);
  expect(await add("three")).not.toContain("one process");
});
