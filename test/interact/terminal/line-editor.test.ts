import { expect, test } from "bun:test";

import { questionOtherCharsMax } from "../../../src/base/limits.ts";
import { LineEditor } from "../../../src/interact/terminal/line-editor.ts";
import { createLook } from "../../../src/interact/terminal/cells.ts";

/** `<name>` is a key, everything else is written. */
function write(keys: string): LineEditor {
  const editor = new LineEditor();
  for (const [part] of keys.matchAll(/<[a-z-]+>|[^<]/gu)) {
    const isKey = part.length > 1 && part.startsWith("<");
    editor.press(isKey ? { name: part.slice(1, -1), text: "" } : { name: part, text: part });
  }
  return editor;
}

test.each<[keys: string, text: string]>([
  ["abc", "abc"],
  ["ac<left>b", "abc"],
  ["bc<home>a<end>d", "abcd"],
  ["abc<backspace><backspace>", "a"],
  ["abc<home><delete>", "bc"],
  ["ab cd<ctrl-w>", "ab "],
  ["ab cd<alt-backspace>", "ab "],
  ["ab cd ef<alt-b><alt-b>x", "ab xcd ef"],
  ["ab cd<home><alt-f><alt-f><alt-f>x", "ab cdx"],
  ["ab cd<alt-x>", "ab cd"],
  ["abc<left><ctrl-u>", "c"],
  ["abc<left><ctrl-k>", "ab"],
  ["数据<left><left><left>x", "x数据"],
  ["<backspace><delete><left><right>", ""],
])("%s", (keys, text) => {
  expect(write(keys).text).toBe(text);
});

test("pasted lines become one, and what cannot be seen is written out", () => {
  const editor = new LineEditor();
  editor.press({ name: "paste", text: "a\n  b\u202e\u001b[A" });
  expect(editor.text).toBe("a b\\u{202e}\\u{1b}[A");
});

test("a mark that combines is taken away with its character", () => {
  const editor = write("e");
  editor.press({ name: "\u0301", text: "\u0301" });
  editor.press({ name: "backspace", text: "" });
  expect(editor.text).toBe("");
});

test("what is written is bounded", () => {
  const editor = new LineEditor();
  editor.press({ name: "paste", text: "x".repeat(questionOtherCharsMax - 1) });
  editor.press({ name: "y", text: "y" });
  editor.press({ name: "z", text: "z" });
  expect([editor.text.length, editor.text.at(-1)]).toEqual([questionOtherCharsMax, "y"]);
});

test("the cursor is where the next character goes", () => {
  const look = createLook(false, true);
  expect(write("ab").draw(10, true, look)).toEqual(["ab\u001b[7m \u001b[27m"]);
  expect(write("ab<left>").draw(10, true, look)).toEqual(["a\u001b[7mb\u001b[27m"]);
  expect(write("abcd<left>").draw(2, true, look)).toEqual(["ab", "c\u001b[7md\u001b[27m"]);
  expect(write("ab").draw(10, false, look)).toEqual(["ab"]);
});
