import { expect, test } from "bun:test";

import {
  breakCells,
  cutCells,
  fitCells,
  safeLine,
  safeText,
  wrapCells,
} from "../../../src/interact/terminal/cells.ts";

test.each<[text: string, width: number, cut: string]>([
  ["abcde", 5, "abcde"],
  ["abcdef", 5, "abcd…"],
  ["数据库", 6, "数据库"],
  ["数据库", 5, "数据…"],
  ["数据库", 4, "数…"],
  ["👩‍👩‍👧x", 2, "…"],
  ["👩‍👩‍👧x", 3, "👩‍👩‍👧x"],
  ["abc", 1, "…"],
  ["abc", 0, ""],
])("cutCells(%p, %p)", (text, width, cut) => {
  expect(cutCells(text, width)).toBe(cut);
});

test("fitCells fills what is left, also behind a wide character that had no room", () => {
  expect([fitCells("数据", 4), fitCells("数据", 3), fitCells("", 2)]).toEqual([
    "数据",
    "数…",
    "  ",
  ]);
});

test.each<[text: string, width: number, rows: string[]]>([
  ["one two three", 8, ["one two", "three"]],
  ["one\n\ntwo", 8, ["one", "", "two"]],
  ["a longestword b", 4, ["a", "long", "estw", "ord", "b"]],
  ["数据 库", 4, ["数据", "库"]],
  ["", 4, [""]],
])("wrapCells(%p, %p)", (text, width, rows) => {
  expect(wrapCells(text, width)).toEqual(rows);
});

test("breakCells never cuts a character that takes two cells", () => {
  expect(breakCells("a数据库b", 4)).toEqual(["a数", "据库", "b"]);
});

test.each<[text: string, line: string]>([
  ["a\nb\r\nc", "a b c"],
  ["\u001b]0;evil\u0007", "\\u{1b}]0;evil\\u{7}"],
  ["\u202egpj.exe", "\\u{202e}gpj.exe"],
  ["a\tb", "a b"],
  ["\u{e0041}", "\\u{e0041}"],
])("safeLine(%p)", (text, line) => {
  expect(safeLine(text)).toBe(line);
});

test("safeText keeps lines and shows what would move the cursor", () => {
  expect(safeText("a\r\nb\rc\td\u009b2J")).toBe("a\nb\nc    d\\u{9b}2J");
});
