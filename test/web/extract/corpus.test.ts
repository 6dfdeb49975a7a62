import { describe, expect, test } from "bun:test";

import { loadCorpus } from "../../../scripts/readdocs/train/corpus.ts";
import type { CorpusPage } from "../../../scripts/readdocs/train/corpus.ts";
import { extractPage } from "../../../src/web/extract/extract-page.ts";
import { toPlainText } from "../../../src/web/markdown/to-markdown.ts";

/** Every so many pages are read here; `scripts/readdocs/compare.ts` reads all. */
const step = 9;

const pages = loadCorpus().filter(
  ({ partialGt }, index) => index % step === 0 && partialGt !== true,
);

/** F1 of words, counted as often as they occur. */
function wordF1(output: string, truth: string): number {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const [given, wanted] = [wordsOf(output), wordsOf(truth)];
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let both = 0;
  for (const word of given) {
    const count = left.get(word) ?? 0;
    if (count > 0) both++;
    left.set(word, count - 1);
  }
  return given.length + wanted.length === 0 ? 1 : (2 * both) / (given.length + wanted.length);
}

async function meanOf(chosen: readonly CorpusPage[]): Promise<number> {
  let sum = 0;
  for (const page of chosen) {
    sum += wordF1(toPlainText(await extractPage(page.html(), page.url)), page.truth());
  }
  return sum / chosen.length;
}

describe.skipIf(pages.length === 0)("extractPage() on annotated pages", () => {
  test.each([
    ["articles", (page: CorpusPage) => page.type === "article", 0.95],
    ["documentation", (page: CorpusPage) => page.type === "documentation", 0.93],
    ["all others", (page: CorpusPage) => !/article|documentation/.test(page.type), 0.7],
  ])("%s", async (_, isIn, f1Min) => {
    expect(await meanOf(pages.filter(isIn))).toBeGreaterThan(f1Min);
  });
});
