import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";

import { runIn } from "../cli/fake-io.ts";
import { TempTree, type TreeEntry } from "../config/temp-tree.ts";

/** A home in which these programs are on PATH. */
function treeWith(
  programs: readonly string[],
  files: Readonly<Record<string, TreeEntry>> = {},
): TempTree {
  const tree = new TempTree({
    ...files,
    ...Object.fromEntries(programs.map((name) => [`bin/${name}`, "#!/bin/sh\n"])),
  });
  for (const name of programs) chmodSync(tree.path(`bin/${name}`), 0o755);
  return tree;
}

const onPath = (tree: TempTree) => ({ env: { PATH: tree.path("bin") } });

describe("[IN2] a client that has never been started", () => {
  test.each([
    ["gemini", "gemini", "home/.gemini/settings.json"],
    ["qwen", "qwen", "home/.qwen/settings.json"],
    ["codex", "codex", "home/.codex/config.toml"],
    ["opencode", "opencode", "home/.config/opencode/opencode.json"],
    ["code", "vscode", "home/.config/Code/User/mcp.json"],
    ["goose", "goose", "home/.config/goose/config.yaml"],
  ])("%s on PATH is a sign of %s", async (program, id, file) => {
    using tree = treeWith([program]);
    expect(await runIn(tree, ["install", "--yes"], onPath(tree))).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path(file), "utf8")).toContain(`scorpiox-code`);
    expect(await runIn(tree, ["undo", id, "--yes"], onPath(tree))).toMatchObject({ exitCode: 0 });
    expect(readdirSync(tree.path("home"))).toEqual([".scorpiox"]);
  });

  test("undo keeps a folder that the client has put something in", async () => {
    using tree = treeWith(["gemini"]);
    await runIn(tree, ["install", "gemini", "--yes"], onPath(tree));
    tree.put("home/.gemini/other.json", "{}");
    const undone = await runIn(tree, ["undo", "--yes"], onPath(tree));
    expect(undone.stderr).toContain("home/.gemini/settings.json was removed.");
    expect(readdirSync(tree.path("home/.gemini"))).toEqual(["other.json"]);
  });

  test("nor is on PATH: the message names what to add", async () => {
    using tree = treeWith([]);
    const none = await runIn(tree, ["install"]);
    expect(none.exitCode).toBe(3);
    expect(none.stderr).toContain("No client was found. Name one, with --create: claude-desktop,");
    const lmstudio = await runIn(tree, ["install", "lmstudio", "--create", "--yes"]);
    expect(lmstudio.stderr).toContain("home/.lmstudio/mcp.json was created.");
  });
});

test.each([
  ["claude", "Did you mean claude-desktop or claude-code?"],
  ["gemini-cli", "Did you mean gemini?"],
  ["vs-code", "Did you mean vscode?"],
  ["code", "Did you mean claude-code, vscode, vscode-insiders, codex or opencode?"],
  ["gemni", "Did you mean gemini?"],
  ["continue.dev", "Did you mean continue?"],
  ["emacs", "emacs is not a known client. Clients: claude-desktop,"],
])("[IN2] install %s: %s", async (word, text) => {
  using tree = treeWith([]);
  const { exitCode, stderr } = await runIn(tree, ["install", word]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain(text);
});

describe("[IN5] a file that cannot be written is said before the question", () => {
  test("read-only", async () => {
    const file = "home/.cursor/mcp.json";
    using tree = new TempTree({ [file]: "{}\n" });
    chmodSync(tree.path(file), 0o444);
    const { exitCode, stdout, stderr } = await runIn(tree, ["install", "cursor", "--dry-run"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `Cursor: ${file} is read-only; it was not changed. Make it writable (chmod u+w), and try again.`,
    );
    expect(stdout).toContain("scorpiox-code");
  });

  test("a link that leads nowhere", async () => {
    using tree = new TempTree({ "home/.cursor/mcp.json": { link: "home/dotfiles/mcp.json" } });
    const { stderr } = await runIn(tree, ["install", "cursor", "--yes"]);
    expect(stderr).toContain(
      "home/.cursor/mcp.json is a link to home/dotfiles/mcp.json, which does not exist. Create that file, or remove the link, and try again.",
    );
    expect(await runIn(tree, ["uninstall"])).toMatchObject({ exitCode: 0 });
  });
});

describe("[IN6] uninstall", () => {
  test("says nothing of clients that do not have the entry", async () => {
    using tree = new TempTree({
      "home/.cursor/mcp.json": "{}\n",
      "home/.kiro/settings/mcp.json": "{}\n",
    });
    const { exitCode, stderr } = await runIn(tree, ["uninstall"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: "scorpiox-code: No client here has the entry scorpiox-code.\n",
    });
    const named = await runIn(tree, ["uninstall", "kiro"]);
    expect(named.stderr).toContain("Kiro: nothing to change in home/.kiro/settings/mcp.json");
  });

  test("of a client that is not here has nothing to change", async () => {
    using tree = new TempTree();
    const { exitCode, stderr } = await runIn(tree, ["uninstall", "zed"]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("Zed: nothing to change in home/.config/zed/settings.json");
  });

  test("names the servers that stay here, and what gives them back", async () => {
    const file = "home/.cursor/mcp.json";
    const text = '{ "mcpServers": { "git": { "command": "git-mcp" } } }\n';
    using tree = new TempTree({ [file]: text });
    await runIn(tree, ["install", "cursor", "--move", "--yes"]);
    const { stderr } = await runIn(tree, ["uninstall", "cursor", "--yes"]);
    expect(stderr).toContain(
      "Cursor: git stays in home/.scorpiox/config.toml, where install --move has put it. To give it back to the client, run undo cursor until it has it.",
    );
    for (let left = 2; left > 0; left--) await runIn(tree, ["undo", "cursor", "--yes"]);
    expect(readFileSync(tree.path(file), "utf8")).toBe(text);
    expect(existsSync(tree.path("home/.scorpiox/config.toml"))).toBe(false);
  });
});
