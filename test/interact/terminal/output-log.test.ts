import { expect, test } from "bun:test";

import { attachOutputLinesMax } from "../../../src/base/limits.ts";
import { OutputLog } from "../../../src/interact/terminal/output-view.ts";

const piece = { isFirst: false, text: "", partial: "", skippedBytes: 0 };

test.each<[what: string, line: string, shown: string]>([
  ["colours", "\u001b[1;31mred\u001b[0m", "red"],
  ["titles and links", "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\link", "alink"],
  ["the clipboard", "\u001b]52;c;AAAA\u0007b", "b"],
  ["a sequence without end", "x\u001b[12", "x"],
  ["a string without end", "x\u001b]0;abc", "x"],
  ["a progress bar", "10%\r50%\r100%\r", "100%"],
  ["C1 controls", "a\u009b2Jb", "a\\u{9b}2Jb"],
  ["backspaces", "a\bb", "a\\u{8}b"],
  ["what turns text around", "a\u202eb", "a\\u{202e}b"],
  ["tabs", "a\tb", "a    b"],
])("%s: nothing but text is left", (_, line, shown) => {
  const log = new OutputLog();
  log.add({ ...piece, text: `${line}\n` });
  expect(log.rowsBefore(log.length, 80, 10)).toEqual([shown]);
});

test("a line that grows is shown once, and what was missed is said", () => {
  const log = new OutputLog();
  log.add({ ...piece, text: "one\n", partial: "tw" });
  log.add({ ...piece, partial: "two and" });
  expect(log.rowsBefore(log.length, 80, 10)).toEqual(["one", "two and"]);
  log.add({ ...piece, text: "two and three\n", skippedBytes: 1234 });
  const shown = ["one", "[1,234 bytes are not shown]", "two and three"];
  expect(log.rowsBefore(log.length, 80, 10)).toEqual(shown);
});

test("a new beginning forgets what was before", () => {
  const log = new OutputLog();
  log.add({ ...piece, text: "old\n" });
  log.add({ ...piece, text: "new\n", isFirst: true });
  expect(log.rowsBefore(log.length, 80, 10)).toEqual(["new"]);
});

test("lines that are kept are bounded", () => {
  const log = new OutputLog();
  log.add({ ...piece, text: "x\n".repeat(attachOutputLinesMax) });
  expect(log.length).toBe(attachOutputLinesMax);
  log.add({ ...piece, text: "last\n" });
  expect([log.length, log.rowsBefore(log.length, 80, 1)]).toEqual([attachOutputLinesMax, ["last"]]);
});

test("rows are those of the end, long lines broken", () => {
  const log = new OutputLog();
  log.add({ ...piece, text: "abcdef\nxy\n" });
  expect(log.rowsBefore(2, 4, 10)).toEqual(["abcd", "ef", "xy"]);
  expect(log.rowsBefore(2, 4, 2)).toEqual(["ef", "xy"]);
  expect(log.rowsBefore(1, 4, 10)).toEqual(["abcd", "ef"]);
});
