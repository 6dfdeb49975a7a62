import { expect, test } from "bun:test";

import { isNetworkPath } from "../../src/base/paths.ts";

test.each([
  [String.raw`\\host\share\x.json`, "win32", true],
  ["//host/share/x.json", "win32", true],
  [String.raw`C:\x.json`, "win32", false],
  [String.raw`\x.json`, "win32", false],
  ["//x.json", "linux", false],
] as const)("isNetworkPath(%p) on %s is %p", (path, platform, is) => {
  expect(isNetworkPath(path, platform)).toBe(is);
});
