import { expect, test } from "bun:test";

import { heavyPageWeight } from "../../src/base/limits.ts";
import { isHeavyPage } from "../../src/base/weight.ts";

test.each<[string, string, boolean]>([
  ["nothing", "", false],
  ["a text at the limit", "x".repeat(heavyPageWeight), false],
  ["a longer one", "x".repeat(heavyPageWeight + 1), true],
  ["an article", "<p>Some words of it.</p>".repeat(1_000), false],
  ["a hundred thousand elements", "<dl>".repeat(100_000), true],
])("isHeavyPage() of %s", (_name, text, isHeavy) => {
  expect(isHeavyPage(text)).toBe(isHeavy);
});
