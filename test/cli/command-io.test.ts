import { expect, test } from "bun:test";
import * as fc from "fast-check";

import { columns } from "../../src/cli/command-io.ts";
import { escapeUnsafe } from "../../src/base/unsafe-characters.ts";
import { escapeJson } from "../../src/base/unsafe-characters.ts";

test.each([
  ["plain ü 漢 🙂\t\n", "plain ü 漢 🙂\t\n"],
  ["a\r\nb", "a\r\nb"],
  ["a\rb", "a\\u{d}b"],
  ["\u0000\u0007\u0008\u001b\u007f", "\\u{0}\\u{7}\\u{8}\\u{1b}\\u{7f}"],
  ["\u0080\u009b\u009f", "\\u{80}\\u{9b}\\u{9f}"],
  ["\u202a\u202e\u2066\u2069\u200e\u061c", "\\u{202a}\\u{202e}\\u{2066}\\u{2069}\\u{200e}\\u{61c}"],
  ["\u{e0001}\u{e0041}\u{e007f}", "\\u{e0001}\\u{e0041}\\u{e007f}"],
  ["\u2028\ufeff", "\\u{2028}\\u{feff}"],
])("escapeUnsafe() of %j", (text, expected) => {
  expect(escapeUnsafe(text)).toBe(expected);
});

test("escapeJson() keeps the value and leaves nothing for a terminal to act on", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const json = escapeJson(JSON.stringify(text));
      expect(JSON.parse(json)).toBe(text);
      expect(escapeUnsafe(json)).toBe(json);
    }),
  );
});

test("columns() aligns all but the last", () => {
  const rows = [
    ["fs", "stdio", "approved; until then here", "npx server"],
    ["remote", "http", "pending", "https://example.com/a/long/address"],
  ];
  expect(columns(rows)).toEqual([
    "  fs      stdio  approved; until then here  npx server",
    "  remote  http   pending                    https://example.com/a/long/address",
  ]);
  expect(columns([])).toEqual([]);
});
