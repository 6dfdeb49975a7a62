import { expect, test } from "bun:test";

import { hooksTimeoutKey } from "../../src/config/keys.ts";
import { TempTree } from "./temp-tree.ts";

test.each([
  ["0", undefined],
  ["1", 1],
  ["600", 600],
  ["601", undefined],
  ["1.5", undefined],
])("HOOKS_TIMEOUT=%s is %p", (text, value) => {
  expect(hooksTimeoutKey.type.parse(text, "")).toBe(value);
});

test("hooks are on and have 30 s; a project has no say in it", () => {
  using tree = new TempTree();
  expect(tree.load().settings.hooks).toEqual({ isEnabled: true, timeoutMs: 30_000 });
  tree.put("project/.scorpiox/scorpiox-env.txt", "HOOKS_ENABLED=0\nHOOKS_TIMEOUT=600\n");
  expect(tree.load().settings.hooks).toEqual({ isEnabled: true, timeoutMs: 30_000 });
  tree.put("project/.scorpiox/scorpiox-env.txt", "HOOKS_ENABLED=1\n");
  tree.put("home/.scorpiox/scorpiox-env.txt", "HOOKS_ENABLED=0\nHOOKS_TIMEOUT=5\n");
  expect(tree.load().settings.hooks).toEqual({ isEnabled: false, timeoutMs: 5_000 });
});
