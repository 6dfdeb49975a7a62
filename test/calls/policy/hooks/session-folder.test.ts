import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  clientNameOf,
  SessionFolders,
  sessionIdOf,
} from "../../../../src/calls/policy/hooks/session-folder.ts";
import { posixTest } from "../../../e2e/harness/platform.ts";
import { HooksTree } from "./hooks-tree.ts";

const id = sessionIdOf("instance", "client");

describe("SessionFolders", () => {
  posixTest("makes private folders in the best place", async () => {
    using tree = new HooksTree();
    const places = [join(tree.root, "a/sessions"), join(tree.root, "b")];
    const path = await new SessionFolders(places).of(id);
    expect(path).toBe(join(tree.root, "a/sessions", id));
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  posixTest.each([
    ["a file in its place", (path: string) => writeFileSync(path, "")],
    ["others may write", (path: string) => (mkdirSync(path), chmodSync(path, 0o777))],
    ["a symbolic link", (path: string) => (mkdirSync(`${path}2`), symlinkSync(`${path}2`, path))],
  ])("goes elsewhere: %s", async (_what, make) => {
    using tree = new HooksTree();
    const bad = join(tree.root, "bad");
    make(bad);
    const good = join(tree.root, "good");
    expect(await new SessionFolders([bad, good]).of(id)).toBe(join(good, id));
    const none = new SessionFolders([bad]).of(id);
    expect(await none.catch(String)).toContain(`No private folder can be made in ${bad}`);
  });
});

test.each([
  ["stdio", "stdio"],
  ["principal:me", "principal:me"],
  ["session:secret", "session:323ee53f8a5053f2"],
])("clientNameOf(%p) is %p", (id, name) => {
  expect(clientNameOf(id)).toBe(name);
});

test("sessionIdOf() is the same for a client of a server, and tells nothing of either", () => {
  const other = sessionIdOf("instance", "session:secret");
  expect(other).toMatch(/^[0-9a-f]{24}$/);
  expect(sessionIdOf("instance", "session:secret")).toBe(other);
  expect(id).not.toBe(other);
  expect(sessionIdOf("other", "session:secret")).not.toBe(other);
});
