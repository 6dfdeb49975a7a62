import { expect, test } from "bun:test";

import { isBelow, isInside } from "../../src/base/paths.ts";

test.each([
  ["/a/b", "/a/b", true],
  ["/a/b/c", "/a/b", true],
  ["/a/b..c", "/a", true],
  ["/a/..b", "/a", true],
  ["/a/bc", "/a/b", false],
  ["/a", "/a/b", false],
  ["/a", "/", true],
])("isInside(%p, %p) is %p", (path, folder, is) => {
  expect(isInside(path, folder)).toBe(is);
});

test("isBelow() leaves the folder itself out", () => {
  const paths = ["/a", "/a/b", "/ab", "/"];
  expect(paths.map((path) => isBelow(path, "/a"))).toEqual([false, true, false, false]);
});
