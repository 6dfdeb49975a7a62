import { expect, test } from "bun:test";

import { halves, ownTools, type Half } from "../../../scripts/tool-search/corpus.ts";
import { floors } from "../../../scripts/tool-search/floors.ts";
import { measure, productSearch } from "../../../scripts/tool-search/measure.ts";
import { benchmarkServers } from "../../../scripts/tool-search/servers.ts";

/**
 * A little below the figures that `scripts/tool-search/run.ts` measures, which are in docs/tool-search.md: for changes that cost.
 * `bun run verify --only tool-search` does the same with the definitions of the published servers.
 */
test.each<[size: number, half: Half, top1: number, recall5: number]>([
  [50, "tuned", 0.87, 0.98],
  [50, "heldOut", 0.86, 0.97],
  [500, "tuned", 0.81, 0.97],
  [500, "heldOut", 0.77, 0.94],
  [4000, "tuned", 0.79, 0.97],
  [4000, "heldOut", 0.77, 0.92],
])("[GW-18] of %d tools the %s queries find theirs", async (size, half, top1, recall5) => {
  const figures = await measure(ownTools, size, half, productSearch);
  expect(figures.top1).toBeGreaterThanOrEqual(top1);
  expect(figures.recall5).toBeGreaterThanOrEqual(recall5);
});

test.each(floors.map((floor) => [floor.name, floor] as const))(
  "the benchmark tells a worse search from ours: %s",
  async (_name, { prepare }) => {
    const ours = await measure(ownTools, 500, "heldOut", productSearch);
    const other = await measure(ownTools, 500, "heldOut", prepare);
    expect(other.recall5).toBeLessThan(ours.recall5 - 0.1);
  },
);

test("the benchmark is as large as its page says", () => {
  expect(ownTools.length).toBe(397);
  expect(new Set(ownTools.map(({ server }) => server)).size).toBe(benchmarkServers.length);
  expect(halves.tuned.length + halves.heldOut.length).toBe(182);
  const names = new Set(ownTools.map(({ server, tool }) => `${server}/${tool}`));
  const all = [...halves.tuned, ...halves.heldOut];
  expect(all.flatMap(({ gold }) => gold).filter((key) => !names.has(key))).toEqual([]);
});
