import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import {
  makeTemporaryFolder,
  removePrivateFolder,
  sweepPrivateFolders,
} from "../../../src/commands/sandbox/sandbox-folders.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

test("a private folder is this user's alone and goes with all that is in it", async () => {
  using parent = new TempFolder();
  const kept = parent.write("kept/file", "x");
  const path = await makeTemporaryFolder(parent.path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  mkdirSync(join(path, "a/b"), { recursive: true });
  writeFileSync(join(path, "a/b/c"), "");
  symlinkSync(parent.at("kept"), join(path, "link"));
  chmodSync(join(path, "a/b"), 0);
  chmodSync(join(path, "a"), 0o400);
  await removePrivateFolder(path);
  expect([existsSync(path), existsSync(kept)]).toEqual([false, true]);
  await removePrivateFolder(path);
});

test("a parent that cannot be written to is named", () => {
  expect(makeTemporaryFolder("/proc/nothing")).rejects.toThrow(
    "Cannot create a folder for temporary files in /proc/nothing: ",
  );
});

test("the sweep takes what is old and of a process that is gone", async () => {
  using parent = new TempFolder();
  const names = [
    "scorpiox-tmp-1-old",
    "scorpiox-tmp-2-old",
    "scorpiox-tmp-1-new",
    "other",
    "scorpiox-tmp-x",
  ];
  for (const name of names) {
    parent.folder(name);
    if (!name.endsWith("new")) utimesSync(parent.at(name), 1, 1);
  }
  await sweepPrivateFolders(parent.path, (pid) => pid === 2);
  expect(readdirSync(parent.path).sort()).toEqual(names.slice(1).sort());
});
