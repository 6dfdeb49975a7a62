import { describe, expect, mock, test } from "bun:test";
import * as files from "node:fs";
import {
  chmodSync,
  chownSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";

import { runIn } from "../cli/fake-io.ts";
import { TempTree } from "../config/temp-tree.ts";
import { attributeOf, setAttribute } from "./attributes.ts";

const file = "home/.cursor/mcp.json";
const real = { ...files };
const nothingToUndo = "There is no change of scorpiox-code to undo.";

describe("[IN5] a file that cannot be written", () => {
  test("read-only: it is left alone, though its folder would let it be replaced", async () => {
    using tree = new TempTree({ [file]: "{}\n" });
    chmodSync(tree.path(file), 0o444);
    const { exitCode, stderr } = await runIn(tree, ["install", "cursor", "--yes"]);
    expect({ exitCode, text: readFileSync(tree.path(file), "utf8") }).toEqual({
      exitCode: 1,
      text: "{}\n",
    });
    expect(stderr).toContain(`${file} is read-only; it was not changed.`);
    expect((await runIn(tree, ["undo", "--list"])).stderr).toContain(nothingToUndo);
  });

  test("no folder can be made: the other clients are changed all the same", async () => {
    using tree = new TempTree({ "home/.cursor": "a file", "home/.kiro/settings/mcp.json": "{}\n" });
    const words = ["install", "cursor", "kiro", "--create", "--yes"];
    const { exitCode, stderr } = await runIn(tree, words);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/Cursor: home\/\.cursor\/mcp\.json cannot be written: EEXIST/);
    expect(stderr).toContain("Kiro: home/.kiro/settings/mcp.json was changed.");
    const { stdout } = await runIn(tree, ["undo", "--list"]);
    expect(stdout).toMatch(/^\S+ {2}install {2}kiro {2}\S+\n$/);
  });

  test.if(process.getuid?.() === 0)("written by root, it still belongs to its user", async () => {
    using tree = new TempTree({ [file]: "{}\n" });
    chownSync(tree.path(file), 1234, 1234);
    expect(await runIn(tree, ["install", "cursor", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(statSync(tree.path(file))).toMatchObject({ uid: 1234, gid: 1234 });
  });
});

describe("[IN5] a file that has more than bytes, a mode and an owner", () => {
  const other = "home/dotfiles/mcp.json";

  /** Installs and undoes; what the file is must be as before in between and afterwards. */
  async function staysTheSame(tree: TempTree, look: () => unknown): Promise<void> {
    const before = look();
    expect(await runIn(tree, ["install", "cursor", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path(file), "utf8")).toContain("scorpiox-code");
    expect(look()).toEqual(before);
    expect(await runIn(tree, ["undo", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path(file), "utf8")).toBe("{}\n");
    expect(look()).toEqual(before);
  }

  test("keeps its other name, a hard link", async () => {
    using tree = new TempTree({ [other]: "{}\n", "home/.cursor": { dir: true } });
    linkSync(tree.path(other), tree.path(file));
    await staysTheSame(tree, () => statSync(tree.path(file)).ino);
    expect(readFileSync(tree.path(other), "utf8")).toBe("{}\n");
    await runIn(tree, ["install", "cursor", "--yes"]);
    expect(readFileSync(tree.path(other), "utf8")).toContain("scorpiox-code");
  });

  test.if(process.platform === "linux")("keeps its extended attributes", async () => {
    using tree = new TempTree({ [file]: "{}\n" });
    const path = tree.path(file);
    if (!setAttribute(path, "user.note", "mine")) return;
    await staysTheSame(tree, () => attributeOf(path, "user.note"));
    expect(attributeOf(path, "user.note")).toBe("mine");
  });

  test.if(process.platform === "linux")("keeps its access control list", async () => {
    using tree = new TempTree({ [file]: "{}\n" });
    const path = tree.path(file);
    // Version 2; user rw, user 1234 r, group r, mask r, others nothing.
    const entries = [1, 6, -1, 2, 4, 1234, 4, 4, -1, 16, 4, -1, 32, 0, -1];
    const list = Buffer.alloc(4 + (entries.length / 3) * 8);
    list.writeUInt32LE(2);
    for (let at = 0; at < entries.length; at += 3) {
      const place = 4 + (at / 3) * 8;
      list.writeUInt16LE(entries[at] ?? 0, place);
      list.writeUInt16LE(entries[at + 1] ?? 0, place + 2);
      list.writeInt32LE(entries[at + 2] ?? 0, place + 4);
    }
    if (!setAttribute(path, "system.posix_acl_access", list)) return;
    await staysTheSame(tree, () => attributeOf(path, "system.posix_acl_access"));
    expect(attributeOf(path, "system.posix_acl_access")).toBe(list.toString("latin1"));
  });

  test("cannot be replaced, as the mount of a container: it is written through", async () => {
    using tree = new TempTree({ [file]: "{}\n" });
    const path = tree.path(file);
    const busy = Object.assign(new Error("EBUSY: resource busy"), { code: "EBUSY" });
    await mock.module("node:fs", () => ({
      ...real,
      renameSync(from: string, to: string) {
        if (to === path) throw busy;
        real.renameSync(from, to);
      },
    }));
    try {
      await staysTheSame(tree, () => [
        real.statSync(path).ino,
        real.readdirSync(tree.path("home/.cursor")),
      ]);
    } finally {
      await mock.module("node:fs", () => real);
    }
  });

  test.if(process.getuid?.() === 0)("keeps its group and its mode", async () => {
    using tree = new TempTree({ [file]: "{}\n" });
    chownSync(tree.path(file), 0, 1234);
    chmodSync(tree.path(file), 0o2640);
    await staysTheSame(tree, () => {
      const { mode, uid, gid } = statSync(tree.path(file));
      return { mode: mode & 0o7777, uid, gid };
    });
    expect(statSync(tree.path(file))).toMatchObject({ uid: 0, gid: 1234 });
  });
});

describe("[IN6] a lost copy", () => {
  test.each(["undo", "uninstall"])("%s takes out only the entry", async (command) => {
    using tree = new TempTree({ [file]: '{ "theme": 1 }\n' });
    await runIn(tree, ["install", "cursor", "--yes"]);
    const folder = tree.path("home/.scorpiox/installs");
    for (const name of readdirSync(folder)) {
      if (name.endsWith(".before")) rmSync(`${folder}/${name}`);
    }
    expect(await runIn(tree, [command, "cursor", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(tree.path(file), "utf8"))).toEqual({ theme: 1 });
  });
});

test("[IN6] a dry run of undo keeps the change, whatever the file holds", async () => {
  using tree = new TempTree({ [file]: "{}\n" });
  await runIn(tree, ["install", "cursor", "--yes"]);
  tree.put(file, "{}\n");
  const { stdout } = await runIn(tree, ["undo", "--dry-run", "--json"]);
  expect(JSON.parse(stdout)).toEqual({ dryRun: true, clients: [] });
  expect((await runIn(tree, ["undo", "--list"])).stdout).toContain(file);
});

describe("[IN5] a project's file that has become a link out of the project", () => {
  const entry = '{ "mcpServers": { "scorpiox-code": { "command": "/x" }, "other": {} } }\n';
  const inProject = "project/.cursor/mcp.json";

  test("is not written by uninstall", async () => {
    using tree = new TempTree({ "home/x.json": entry, [inProject]: { link: "home/x.json" } });
    const words = ["uninstall", "cursor", "--scope", "project", "--yes"];
    const { exitCode, stderr } = await runIn(tree, words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("leads out of the project");
    expect(readFileSync(tree.path("home/x.json"), "utf8")).toBe(entry);
  });

  test("is not written by undo", async () => {
    using tree = new TempTree({ [inProject]: "{}\n", "home/x.json": entry });
    await runIn(tree, ["install", "cursor", "--scope", "project", "--yes"]);
    rmSync(tree.path(inProject));
    tree.put(inProject, { link: "home/x.json" });
    const { exitCode, stderr } = await runIn(tree, ["undo", "--yes"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("leads out of the project");
    expect(readFileSync(tree.path("home/x.json"), "utf8")).toBe(entry);
  });
});
