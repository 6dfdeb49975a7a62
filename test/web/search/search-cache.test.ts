import { expect, test } from "bun:test";

import { SearchCache } from "../../../src/web/search/engine-search.ts";

test("SearchCache: a reply is given again for 15 minutes", () => {
  let nowMs = 0;
  const cache = new SearchCache<string>(() => nowMs);
  cache.set("a", "reply");
  nowMs = 15 * 60_000 - 1;
  expect(cache.get("a")).toBe("reply");
  nowMs += 1;
  expect([cache.get("a"), cache.get("b")]).toEqual([undefined, undefined]);
});

test("SearchCache: of more than 200 the one that was not asked for longest goes", () => {
  const cache = new SearchCache<number>(() => 0);
  for (let number = 0; number < 200; number++) cache.set(`q${number}`, number);
  cache.get("q0");
  cache.set("new", 1);
  expect([cache.get("q0"), cache.get("q1"), cache.get("q2"), cache.get("new")]).toEqual([
    0,
    undefined,
    2,
    1,
  ]);
});
