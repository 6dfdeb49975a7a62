import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  createProfile,
  removeProfile,
  sweepProfiles,
} from "../../../src/web/browser/profile-folder.ts";
import { TempTree } from "../../config/temp-tree.ts";

const owner = { pid: process.pid, instanceId: "one.0" };

/** A process that has ended and was collected. */
const goneProcess = (): number => Bun.spawnSync(["true"]).pid;

test("createProfile() makes a private folder, and removeProfile() leaves nothing of it", async () => {
  using tree = new TempTree();
  const path = createProfile(tree.path("home/a/browser"), owner);
  writeFileSync(join(path, "Cookies"), "x");
  expect([path, tree.path("home/a/browser")].map((dir) => statSync(dir).mode & 0o777)).toEqual([
    0o700, 0o700,
  ]);
  await removeProfile(path);
  await removeProfile(path);
  expect(existsSync(path)).toBe(false);
});

test("sweepProfiles() removes what dead owners left, and nothing else", async () => {
  using tree = new TempTree();
  const parent = tree.path("home");
  const own = createProfile(parent, owner);
  const alive = createProfile(parent, { pid: process.ppid, instanceId: "two.0" });
  createProfile(parent, { pid: goneProcess(), instanceId: "three.0" });
  createProfile(parent, { pid: process.pid, instanceId: "earlier.0" });
  for (const name of ["profile-1-a-otherhost-x", "profile-1-a-otherhost-old", "else"]) {
    mkdirSync(join(parent, name));
  }
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
  utimesSync(join(parent, "profile-1-a-otherhost-old"), twoDaysAgo, twoDaysAgo);
  await sweepProfiles(parent, owner);
  expect(
    readdirSync(parent)
      .map((name) => join(parent, name))
      .sort(),
  ).toEqual([own, alive, join(parent, "else"), join(parent, "profile-1-a-otherhost-x")].sort());
});

test("sweepProfiles() takes a folder that is not there for an empty one", async () => {
  using tree = new TempTree();
  await sweepProfiles(tree.path("home/none"), owner);
  expect(existsSync(tree.path("home/none"))).toBe(false);
});
