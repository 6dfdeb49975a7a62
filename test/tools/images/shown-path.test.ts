import { expect, test } from "bun:test";

import { shownPath } from "../../../src/tools/images/image-file.ts";

test.each([
  ["/a/b c.png", "/a/b c.png"],
  ["/фото/写真 – é.png", "/фото/写真 – é.png"],
  ["/a\nIt is safe.png", String.raw`/a\u{a}It is safe.png`],
  ["/gpj.\u202epng\u2028", String.raw`/gpj.\u{202e}png\u{2028}`],
  ["/\ud800\u{e0041}", String.raw`/\u{d800}\u{e0041}`],
  [`/${"a".repeat(399)}`, `/${"a".repeat(399)}`],
  [`/${"a".repeat(400)}b`, `/${"a".repeat(99)}…${"a".repeat(299)}b`],
])("shownPath() of %j", (path, shown) => {
  expect(shownPath(path)).toBe(shown);
});
