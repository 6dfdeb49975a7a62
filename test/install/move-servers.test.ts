import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

import { runIn } from "../cli/fake-io.ts";
import { TempTree } from "../config/temp-tree.ts";

const file = "home/.cursor/mcp.json";
const own = "home/.scorpiox/config.toml";

function treeWith(servers: object): TempTree {
  return new TempTree({ [file]: `${JSON.stringify({ mcpServers: servers })}\n` });
}

function serversIn(tree: TempTree): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(tree.path(file), "utf8")).mcpServers;
}

describe("[IN8] a server that is moved is never in neither place", () => {
  test("of two whose names become one here, the second stays in the client", async () => {
    using tree = treeWith({
      "a b": { command: "one", env: { API_TOKEN: "first" } },
      "a-b": { command: "two", env: { API_TOKEN: "second" } },
    });
    const { exitCode, stderr } = await runIn(tree, ["install", "cursor", "--move", "--yes"]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("server a-b is not moved: another one is named a-b here");
    expect(readFileSync(tree.path(own), "utf8")).toContain('command = "one"');
    expect(serversIn(tree)).toMatchObject({ "a-b": { command: "two" } });
  });

  test("one below a key that the client does not read stays", async () => {
    const zed = "home/.config/zed/settings.json";
    using tree = new TempTree({ [zed]: '{ "mcpServers": { "m": { "command": "one" } } }\n' });
    await runIn(tree, ["install", "zed", "--move", "--yes"]);
    const { mcpServers, context_servers } = JSON.parse(readFileSync(tree.path(zed), "utf8"));
    expect(mcpServers).toEqual({ m: { command: "one" } });
    expect(Object.keys(context_servers)).toEqual(["scorpiox-code"]);
    expect(existsSync(tree.path(own))).toBe(false);
  });
});

describe("[IN8] the secrets of moved servers", () => {
  const git = { git: { command: "git-mcp", env: { GITHUB_TOKEN: "theirs" } } };

  test("never replace one of the user, which undo would then remove", async () => {
    using tree = treeWith(git);
    await runIn(tree, ["mcp", "secrets", "set", "git/GITHUB_TOKEN"], { stdin: ["mine"] });
    const { exitCode, stderr } = await runIn(tree, ["install", "cursor", "--move", "--yes"]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      "server git is not moved: there already is a secret git/GITHUB_TOKEN. Remove it (mcp secrets remove git/GITHUB_TOKEN), and try again",
    );
    expect(serversIn(tree)).toMatchObject(git);
    expect(existsSync(tree.path(own))).toBe(false);
    const secrets = await runIn(tree, ["mcp", "secrets", "list"]);
    expect(secrets.stdout).toBe("git/GITHUB_TOKEN  file\n");
  });

  test("that cannot be kept leave the server where it was", async () => {
    using tree = treeWith(git);
    mkdirSync(tree.path("home/.scorpiox"), { recursive: true });
    writeFileSync(tree.path("home/.scorpiox/secrets"), "not a folder");
    expect(await runIn(tree, ["install", "cursor", "--move", "--yes"])).toMatchObject({
      exitCode: 1,
    });
    expect(serversIn(tree)).toEqual(git);
    expect(existsSync(tree.path(own))).toBe(false);
  });
});

test("[IN6] undo gives moved servers back when the client's file has them again already", async () => {
  using tree = treeWith({ git: { command: "git-mcp", env: { GITHUB_TOKEN: "theirs" } } });
  const before = readFileSync(tree.path(file), "utf8");
  await runIn(tree, ["install", "cursor", "--move", "--yes"]);
  writeFileSync(tree.path(file), before);
  const shown = await runIn(tree, ["undo", "--dry-run"]);
  expect(shown.stderr).toContain("is already as it was before the change.");
  expect(existsSync(tree.path(own))).toBe(true);
  expect(await runIn(tree, ["undo", "--yes"])).toMatchObject({ exitCode: 0 });
  expect(existsSync(tree.path(own))).toBe(false);
  expect(await runIn(tree, ["mcp", "secrets", "list"])).toMatchObject({ stdout: "" });
});

test("[IN6] undo keeps a moved server that the user has changed here, with its secrets", async () => {
  using tree = treeWith({
    git: { command: "git-mcp", env: { GITHUB_TOKEN: "theirs" } },
    memory: { command: "npx" },
  });
  const before = readFileSync(tree.path(file), "utf8");
  await runIn(tree, ["install", "cursor", "--move", "--yes"]);
  const moved = readFileSync(tree.path(own), "utf8");
  writeFileSync(tree.path(own), moved.replace('"git-mcp"', '"git-mcp"\ntimeout_ms = 5000'));
  const { exitCode, stderr } = await runIn(tree, ["undo", "--yes"]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`git was changed in ${own} since, and stays there too.`);
  expect(readFileSync(tree.path(file), "utf8")).toBe(before);
  const left = readFileSync(tree.path(own), "utf8");
  expect(left).toContain("timeout_ms = 5000");
  expect(left).not.toContain("memory");
  const secrets = await runIn(tree, ["mcp", "secrets", "list"]);
  expect(secrets.stdout).toBe("git/GITHUB_TOKEN  file\n");
});

describe("[IN8] a server whose name is taken here", () => {
  const elsewhere = "home/.kiro/settings/mcp.json";
  const two = {
    git: { command: "git-mcp", env: { GITHUB_TOKEN: "theirs" } },
    memory: { command: "npx", args: ["-y", "memory"] },
  };
  const text = `${JSON.stringify({ mcpServers: two })}\n`;
  const move = async (tree: TempTree, id: string) =>
    runIn(tree, ["install", id, "--move", "--yes"]);

  test("by another one stays in the client; the others are moved", async () => {
    const ours = '[mcp.servers.git]\ncommand = "other"\n';
    using tree = new TempTree({ [file]: text, [own]: ours });
    const { exitCode, stderr } = await move(tree, "cursor");
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      `server git is not moved: ${own} has another one of that name. Remove one of them (mcp remove git), and try again`,
    );
    expect(Object.keys(serversIn(tree))).toEqual(["git", "scorpiox-code"]);
    expect(await runIn(tree, ["undo", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path(own), "utf8")).toBe(ours);
    expect(readFileSync(tree.path(file), "utf8")).toBe(text);
  });

  test("by the same one of another client is switched off; each undo leaves it to the other", async () => {
    using tree = new TempTree({ [file]: text, [elsewhere]: text });
    await move(tree, "cursor");
    const ours = readFileSync(tree.path(own), "utf8");
    const second = await move(tree, "kiro");
    expect(second).toMatchObject({ exitCode: 0 });
    expect(second.stdout).toContain(`# In ${own} already: git, memory`);
    expect(readFileSync(tree.path(own), "utf8")).toBe(ours);
    const first = await runIn(tree, ["undo", "cursor", "--yes"]);
    expect(first.stderr).toContain(`git stays in ${own}: kiro has it from there, too.`);
    expect(readFileSync(tree.path(file), "utf8")).toBe(text);
    expect(readFileSync(tree.path(own), "utf8")).toBe(ours);
    expect(await runIn(tree, ["undo", "kiro", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path(elsewhere), "utf8")).toBe(text);
    expect(existsSync(tree.path(own))).toBe(false);
    expect(await runIn(tree, ["mcp", "secrets", "list"])).toMatchObject({ stdout: "" });
  });

  test("with another secret stays in the client", async () => {
    const other = { git: { command: "git-mcp", env: { GITHUB_TOKEN: "of another account" } } };
    using tree = new TempTree({ [file]: text, [elsewhere]: JSON.stringify({ mcpServers: other }) });
    await move(tree, "cursor");
    const { stderr } = await move(tree, "kiro");
    expect(stderr).toContain("server git is not moved");
    expect(JSON.parse(readFileSync(tree.path(elsewhere), "utf8")).mcpServers).toMatchObject(other);
  });

  test.each(["cursor", "kiro"])("%s: moving twice changes nothing", async (id) => {
    using tree = new TempTree({ [id === "kiro" ? elsewhere : file]: text });
    await move(tree, id);
    const again = await move(tree, id);
    expect(again).toMatchObject({ exitCode: 0, stdout: "" });
    expect(again.stderr).toContain("nothing to change");
    expect(again.stderr).not.toContain("not moved");
  });
});

test("[IN8] servers of single projects stay in Claude Code, and are named with what to do", async () => {
  const claude = "home/.claude.json";
  const project = (name: string) => ({ mcpServers: { [name]: { command: name } } });
  const folders = ["a", "b", "c", "d", "e", "f", "g"].map((name) => [`/p/${name}`, project(name)]);
  const projects = { "/p/none": { mcpServers: {} }, ...Object.fromEntries(folders) };
  const all = { mcpServers: { git: { command: "git-mcp" } }, projects };
  using tree = new TempTree({ [claude]: JSON.stringify(all) });
  const { exitCode, stderr } = await runIn(tree, ["install", "claude-code", "--move", "--yes"]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain(
    "servers of single projects are not moved: a of /p/a; b of /p/b; c of /p/c; d of /p/d; e of /p/e; and of 2 other projects. To have them here for their project, run in its folder: scorpiox-code mcp import claude-code",
  );
  const { mcpServers, projects: left } = JSON.parse(readFileSync(tree.path(claude), "utf8"));
  expect(Object.keys(mcpServers)).toEqual(["scorpiox-code"]);
  expect(left).toEqual(projects);
});

test("[IN8] a client's command that fails half-way loses no server: those that it took out stay here", async () => {
  const claude = "home/.claude.json";
  const text = JSON.stringify({ mcpServers: { git: { type: "stdio", command: "git-mcp" } } });
  using tree = new TempTree({ [claude]: text, "home/bin/claude": "#!/bin/sh\n" });
  chmodSync(tree.path("home/bin/claude"), 0o755);
  const runProgram = async ([, , action, , , name = ""]: readonly string[]) => {
    if (action !== "remove") return { exitCode: 1, output: "out of order" };
    const root = JSON.parse(readFileSync(tree.path(claude), "utf8"));
    delete root.mcpServers[name];
    writeFileSync(tree.path(claude), JSON.stringify(root));
    return { exitCode: 0, output: "" };
  };
  const input = { env: { PATH: tree.path("home/bin") }, services: { runProgram } };
  const words = ["install", "claude-code", "--move", "--yes"];
  const { exitCode, stderr } = await runIn(tree, words, input);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("ended with 1: out of order It was made in part: undo takes that back.");
  expect(JSON.parse(readFileSync(tree.path(claude), "utf8"))).toEqual({ mcpServers: {} });
  expect(readFileSync(tree.path(own), "utf8")).toContain("git-mcp");
  expect(await runIn(tree, ["undo", "--yes"], input)).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(readFileSync(tree.path(claude), "utf8"))).toEqual(JSON.parse(text));
  expect(existsSync(tree.path(own))).toBe(false);
});

test("[IN8] a client's command that outlives a killed install is waited for", async () => {
  const claude = "home/.claude.json";
  const text = JSON.stringify({ mcpServers: { git: { type: "stdio", command: "git-mcp" } } });
  using tree = new TempTree({ [claude]: text, "home/bin/claude": "#!/bin/sh\n" });
  chmodSync(tree.path("home/bin/claude"), 0o755);
  const log = tree.path("home/.scorpiox/installs/changes.json");
  let killed = "";
  const runProgram = async () => {
    killed ||= readFileSync(log, "utf8");
    return { exitCode: 1, output: "" };
  };
  const input = { env: { PATH: tree.path("home/bin") }, services: { runProgram } };
  await runIn(tree, ["install", "claude-code", "--move", "--yes"], input);
  writeFileSync(log, killed);
  const { exitCode, stderr } = await runIn(tree, ["undo", "--yes"], input);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/the client.s command may still be running\. Try again in \d+ s\./);
  expect(readFileSync(log, "utf8")).toBe(killed);
  writeFileSync(log, killed.replace(/"since": "[^"]*"/, '"since": "2026-01-01T00:00:00.000Z"'));
  const later = await runIn(tree, ["undo", "--yes"], input);
  expect(later.exitCode).toBe(0);
  expect(later.stderr).toContain("was interrupted before home/.claude.json was changed.");
});
