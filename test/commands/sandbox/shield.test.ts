import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import {
  assertProtectable,
  findShield,
  protectedInWorkspace,
} from "../../../src/commands/sandbox/shield.ts";
import { StandIns } from "../../../src/commands/sandbox/stand-ins.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

const elsewhere = { homeDir: "/nowhere/home", scorpioxDir: "/nowhere/home/.scorpiox" };

/** Paths relative to the workspace. */
async function shieldOf(
  folder: TempFolder,
  own = elsewhere,
): Promise<Record<"pinned" | "closed" | "missing", string[]>> {
  const { pinned, closed, missing } = await findShield([folder.path], own);
  const short = (path: string): string => path.slice(folder.path.length + 1);
  return {
    pinned: [...new Set(pinned.map(short))],
    closed: [...new Set(closed.map(({ path }) => short(path)))].sort(),
    missing: [...new Set(missing.map(({ path, kind }) => `${short(path)} ${kind}`))].sort(),
  };
}

describe("findShield()", () => {
  test("of an empty folder: all is missing, and a repository that does not exist as a whole", async () => {
    using folder = new TempFolder();
    expect(await shieldOf(folder)).toEqual({
      pinned: [],
      closed: [],
      missing: [
        ".agents folder",
        ".claude folder",
        ".git folder",
        ".mcp.json folder",
        ".scorpiox folder",
        "mcp.lock folder",
        "mcp_servers.json folder",
      ],
    });
  });

  test("of a repository: its folder is pinned, hooks and configuration are closed", async () => {
    using folder = new TempFolder();
    folder.write(".git/config", "");
    folder.write(".mcp.json", "{}");
    folder.folder(".claude");
    expect(await shieldOf(folder)).toEqual({
      pinned: [".git"],
      closed: [".claude", ".git/config", ".mcp.json"],
      missing: [
        ".agents folder",
        ".git/hooks folder",
        ".scorpiox folder",
        "mcp.lock folder",
        "mcp_servers.json folder",
      ],
    });
  });

  test("of a folder in which a command runs by now: a stand-in is kept as a whole", async () => {
    using folder = new TempFolder();
    const standIns = new StandIns({ share: () => true, takeAlone: () => true });
    const name = { path: folder.at(".git"), kind: "folder" } as const;
    await standIns.hold(name);
    const { pinned, closed, missing } = await shieldOf(folder);
    await standIns.release(name.path);
    expect([pinned, closed]).toEqual([[], [".git"]]);
    expect(missing).toEqual([
      ".agents folder",
      ".claude folder",
      ".mcp.json folder",
      ".scorpiox folder",
      "mcp.lock folder",
      "mcp_servers.json folder",
    ]);
  });

  test("what other programs believe is closed where it is there", async () => {
    using folder = new TempFolder();
    const names = [".vscode/tasks.json", ".cursor/mcp.json", ".codex/config.toml", ".gemini/x"];
    const servers = ["mcp_servers.json", "workspaces/w/mcp_servers.json"];
    for (const name of [...names, ...servers, ".envrc", "workspaces/other/x"]) {
      folder.write(name, "x");
    }
    const { pinned, closed, missing } = await shieldOf(folder);
    expect([pinned, closed]).toEqual([
      ["workspaces", "workspaces/w"],
      [".codex", ".cursor", ".envrc", ".gemini", ".vscode", ...servers],
    ]);
    expect(missing).not.toContain("workspaces/other/mcp_servers.json file");
  });

  test("of a repository with submodules, in one another, with slashes in their names", async () => {
    using folder = new TempFolder();
    for (const at of ["one", "libs/two", "one/modules/in"]) {
      folder.write(`.git/modules/${at}/HEAD`, "");
      folder.write(`.git/modules/${at}/config`, "");
    }
    const { pinned, closed, missing } = await shieldOf(folder);
    const modules = ["libs/two", "one", "one/modules/in"].map((at) => `.git/modules/${at}`);
    expect(pinned.sort()).toEqual(
      [".git", ".git/modules", ".git/modules/libs", ".git/modules/one/modules", ...modules].sort(),
    );
    // `git submodule update` writes it.
    expect(closed.filter((name) => name.endsWith("/config"))).toEqual([]);
    expect(missing.filter((name) => name.includes("modules"))).toEqual(
      modules.map((at) => `${at}/hooks folder`),
    );
  });

  test.each([
    ["[core]\n", []],
    [
      "[extensions]\n\tWorktreeConfig = true\n",
      [".git/config.worktree file", ".git/worktrees/tree/config.worktree file"],
    ],
  ])("of worktrees by a configuration of %j", async (config, expected) => {
    using folder = new TempFolder();
    folder.write(".git/config", config);
    folder.write(".git/worktrees/tree/gitdir", "");
    const { missing } = await shieldOf(folder);
    expect(missing.filter((name) => name.includes("worktree"))).toEqual(expected);
  });

  test("of a worktree: the file that names the repository is closed", async () => {
    using folder = new TempFolder();
    folder.write(".git", "gitdir: /elsewhere\n");
    expect((await shieldOf(folder)).closed).toEqual([".git"]);
  });

  test("of a repository's own folder: its hooks and configuration", async () => {
    using folder = new TempFolder();
    for (const name of ["HEAD", "config", "hooks/x", "objects/x"]) folder.write(name, "");
    expect((await shieldOf(folder)).closed).toEqual(["config", "hooks"]);
  });

  test("of the home folder: start-up files too, and the folder of this program wherever it is", async () => {
    using folder = new TempFolder();
    folder.write(".bashrc", "");
    folder.folder("own/scorpiox");
    const own = { homeDir: folder.path, scorpioxDir: folder.at("own/scorpiox") };
    const { pinned, closed, missing } = await shieldOf(folder, own);
    expect([pinned, closed]).toEqual([["own"], [".bashrc", "own/scorpiox"]]);
    expect(missing).toContain(".zshrc file");
    expect(missing).toContain(".config folder");
    expect(missing).toContain(".gitconfig file");
    expect(missing).toContain(".ssh folder");
  });

  test.each([
    [{ ".profile": "echo profile" }, "profile\n"],
    [{ ".profile": "echo profile", ".bash_login": "echo login" }, "login\n"],
    [{}, ""],
  ])("what stands in for .bash_profile hides nothing of %j", async (files, said) => {
    using folder = new TempFolder();
    for (const [name, text] of Object.entries(files)) folder.write(name, text);
    const own = { homeDir: folder.path, scorpioxDir: folder.at(".scorpiox") };
    const { missing } = await findShield([folder.path], own);
    const standIns = new StandIns({ share: () => true, takeAlone: () => true });
    for (const name of missing) await standIns.hold(name);
    const shell = Bun.spawnSync(["bash", "-lc", "true"], { env: { HOME: folder.path } });
    for (const { path } of missing) await standIns.release(path);
    expect(shell.stdout.toString()).toBe(said);
    expect(readdirSync(folder.path).sort()).toEqual(Object.keys(files).sort());
  });

  test.each([".mcp.json", ".git", ".git/hooks", ".claude"])(
    "a link at %s is refused",
    async (name) => {
      using folder = new TempFolder();
      if (name.startsWith(".git/")) folder.folder(".git");
      symlinkSync("/tmp", folder.at(name));
      const path = join(folder.path, name);
      expect(findShield([folder.path], elsewhere)).rejects.toThrow(
        `The sandbox cannot protect ${path}: it is a symbolic link.`,
      );
    },
  );
});

test("folders between one that is open and another in it stay where they are", async () => {
  using folder = new TempFolder();
  const inner = folder.folder("a/b/c");
  const { pinned } = await findShield([folder.path, inner], elsewhere);
  expect(pinned).toEqual([folder.at("a/b"), folder.at("a")]);
});

test("the documentation has all names that are protected", () => {
  const text = readFileSync(join(import.meta.dir, "../../../docs/sandbox.md"), "utf8");
  expect(protectedInWorkspace.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test.each([
  ["bubblewrap", ["/w"], undefined],
  ["bubblewrap", ["/"], "cannot open / for writing: it is the whole file system."],
  ["bubblewrap", ["/nowhere/home", "/nowhere"], undefined],
  ["bubblewrap", ["/nowhere/home/.scorpiox/x"], "it is in /nowhere/home/.scorpiox, which stays"],
  ["landlock", ["/nowhere/home"], "/nowhere/home/.scorpiox is in it, and Landlock cannot"],
  ["landlock", ["/w/a", "/w"], "cannot open /w for writing: /w/a is in it, and Landlock"],
  ["landlock", ["/w/a", "/w/b"], undefined],
] as const)("assertProtectable() with %s: %p", (backend, folders, message) => {
  const attempt = (): void => assertProtectable(folders, elsewhere, backend);
  if (message === undefined) attempt();
  else expect(attempt).toThrow(message);
});
