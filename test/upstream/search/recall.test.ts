import { expect, test } from "bun:test";

import { halves, realTools, type Half } from "../../../scripts/tool-search/corpus.ts";
import { measure, productSearch } from "../../../scripts/tool-search/measure.ts";
import servers from "../../../scripts/tool-search/tools.json";

/** A little below what `scripts/tool-search/run.ts` measures, whose figures are in docs/tool-search.md: for changes that cost. */
test.each<[size: number, half: Half, top1: number, recall5: number]>([
  [50, "tuned", 0.83, 0.97],
  [50, "heldOut", 0.83, 0.97],
  [500, "tuned", 0.7, 0.97],
  [500, "heldOut", 0.67, 0.91],
  [4000, "tuned", 0.65, 0.95],
  [4000, "heldOut", 0.63, 0.87],
])("[GW-18] of %d tools the %s queries find theirs", (size, half, top1, recall5) => {
  const figures = measure(size, half, productSearch);
  expect(figures.top1).toBeGreaterThanOrEqual(top1);
  expect(figures.recall5).toBeGreaterThanOrEqual(recall5);
});

test("the benchmark is as large as its page says", () => {
  expect(realTools.length).toBeGreaterThanOrEqual(300);
  expect(halves.tuned.length + halves.heldOut.length).toBeGreaterThanOrEqual(150);
  const licences = new Set(servers.map(({ licence }) => licence));
  expect([...licences].sort()).toEqual(["Apache-2.0", "MIT"]);
});
