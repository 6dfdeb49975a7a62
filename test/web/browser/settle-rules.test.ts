import { expect, test } from "bun:test";

import { isInertSource } from "../../../src/web/browser/look-script.ts";
import { isSettled, type SettleState, settleTimes } from "../../../src/web/browser/settle-page.ts";

const settled: SettleState = {
  elapsedMs: 400,
  textChars: 500,
  textQuietMs: 300,
  isNetQuiet: true,
  isNavigating: false,
  isInert: false,
};

const rows: [name: string, change: Partial<SettleState>, expected: boolean][] = [
  ["text and network are quiet", {}, true],
  ["the text changed just now", { textQuietMs: settleTimes.domQuietMs - 1 }, false],
  ["something is loading", { isNetQuiet: false }, false],
  ["something is loading, chatty soon", { isNetQuiet: false, elapsedMs: 1_999 }, false],
  ["it is chatty", { isNetQuiet: false, elapsedMs: settleTimes.chattyAfterMs }, true],
  ["it is chatty and changes", { elapsedMs: 5_000, textQuietMs: 0 }, false],
  ["there is little text yet", { textChars: settleTimes.enoughChars - 1 }, false],
  ["there is just enough text", { textChars: settleTimes.enoughChars }, true],
  ["it is simply short", { textChars: 3, elapsedMs: settleTimes.enoughAfterMs }, true],
  ["another document is on its way", { isNavigating: true, elapsedMs: 3_000 }, false],
  ["nothing can change it", { isInert: true, textQuietMs: 0, textChars: 0 }, true],
  ["nothing can change it but a document on its way", { isInert: true, isNavigating: true }, false],
];
test.each(rows)("isSettled() when %s", (_name, change, expected) => {
  expect(isSettled({ ...settled, ...change })).toBe(expected);
});

test.each([
  ["<h1>Title</h1><p onclicks>only = text", true],
  ["<p>We write &lt;script&gt; like this", true],
  ["<p>x</p><SCRIPT src=a>", false],
  ["<svg:script>", false],
  ["<body onload=go()>", false],
  ["<body\nonload = go()>", false],
  ["<a href='javascript:go()'>", false],
  ["<iframe src=a>", false],
  ["<frame src=a>", false],
  ["<object data=a>", false],
  ["<embed src=a>", false],
  ["<meta http-equiv=refresh content=0>", false],
  ["<meta HTTP-EQUIV = 'Refresh' content=0>", false],
])("isInertSource() of %j", (source, expected) => {
  expect(isInertSource(source)).toBe(expected);
});
