import { expect, test } from "bun:test";

import {
  escapeHidden,
  hasHidden,
  withoutHidden,
} from "../../../src/upstream/trust/hidden-characters.ts";

test("[GW-22] every character that no font draws by itself is hidden", () => {
  const missed: string[] = [];
  for (let code = 0; code <= 0x10_ff_ff; code++) {
    const character = String.fromCodePoint(code);
    if (!/[\p{DI}\p{Cc}\p{Zl}\p{Zp}]/u.test(character) || "\t\n".includes(character)) continue;
    if (!hasHidden(`a${character}b`)) missed.push(code.toString(16));
  }
  expect(missed).toEqual([]);
});

test.each([
  ["line\r\nline\tend\n", false],
  ["Grüße, 漢字, עברית, हिन्दी", false],
  ["👩🏽‍💻 ❤️ 1️⃣ 🏳️‍🌈", false],
  ["a\u00adb", true],
  ["a\u2800b", true],
  ["a\u{13430}b", true],
  ["a\u{e0100}b", true],
  ["😀\ufe0f\ufe0e", true],
  ["😀\u200d", true],
])("hasHidden(%j) is %p", (text, is) => {
  expect(hasHidden(text)).toBe(is);
  expect(hasHidden({ list: [{ [text]: 1 }] })).toBe(is);
  expect(hasHidden(escapeHidden(text))).toBe(false);
  expect(hasHidden(withoutHidden({ [text]: text }))).toBe(false);
});
