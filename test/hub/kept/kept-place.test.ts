import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { keptFolderIn, mayHaveKept, workspaceKeyOf } from "../../../src/hub/kept/kept-place.ts";
import { KeptPlace } from "./kept-harness.ts";

test("mayHaveKept: no task without a folder of the workspace", () => {
  using place = new KeptPlace();
  const { scorpioxDir } = place;
  const scope = { workspace: "/work/a", owner: "" };
  expect([
    mayHaveKept(scorpioxDir, () => scope),
    mayHaveKept(scorpioxDir, () => undefined),
  ]).toEqual([false, false]);
  mkdirSync(join(keptFolderIn(scorpioxDir), workspaceKeyOf(scope)), { recursive: true });
  const other = { workspace: "/work/b", owner: "" };
  expect([scope, other, undefined].map((one) => mayHaveKept(scorpioxDir, () => one))).toEqual([
    true,
    false,
    true,
  ]);
});
