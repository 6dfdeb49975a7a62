import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type EngineId, engineIds } from "../../../src/web/search/engine.ts";
import { type EngineList, listPages } from "../../../src/web/search/engine-list.ts";
import { EngineMemories } from "../../../src/web/search/engine-pace.ts";
import { engineOf } from "../../../src/web/search/engines/engines.ts";
import { mergeLists, rankPages } from "../../../src/web/search/rank-pages.ts";
import { parseQuery } from "../../../src/web/search/query.ts";

/** Pages of four engines that answered the same query on one day; not part of the checkout. */
const captures = join(import.meta.dir, "../../../../shared/websearch/captures");
const engines = ["brave", "startpage", "bing", "mojeek"] as const;
const query = parseQuery("javascript tutorial");

async function readList(engine: EngineId): Promise<EngineList> {
  const text = readFileSync(join(captures, engine, "http-2026-04.html"), "utf8");
  const settings = {
    language: "en",
    region: undefined,
    marginaliaKey: undefined,
    searxngUrl: undefined,
  };
  const reader = engineOf(engine);
  const { provider, weight } = reader;
  const answer = await reader.read(
    { status: 200, url: "", headers: {}, text },
    { text: query.text, settings, memory: new EngineMemories().of(engine) },
  );
  const results = answer.state === "ok" ? answer.results : [];
  const pages = listPages(results, new Date("2026-04-03T00:00:00Z"));
  return { engine, order: engineIds.indexOf(engine), provider, weight, pages };
}

/** The formula of docs/spec/search.md#score once more, in its plainest form: each of the four is a provider of its own. */
function expectedKeys(
  lists: readonly EngineList[],
  part: (list: EngineList, position: number) => number,
): string[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    const seen = new Set<string>();
    for (const { key, position } of list.pages) {
      const page = key.toLowerCase();
      if (!seen.has(page)) scores.set(page, (scores.get(page) ?? 0) + part(list, position));
      seen.add(page);
    }
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

test.skipIf(!existsSync(captures))(
  "real lists of four engines fuse as docs/spec/search.md#score says; plainer formulas agree on the first five",
  async () => {
    const lists = await Promise.all(engines.map(readList));
    const { results, found } = rankPages(lists, query);
    const byUrl = new Map(
      mergeLists(lists).flatMap((seen) =>
        seen.map(({ page }) => [page.url.href, page.key.toLowerCase()]),
      ),
    );
    const order = results.map(({ url }) => byUrl.get(url) ?? "");
    const weighted = expectedKeys(lists, ({ weight }, position) => weight / (60 + position));
    expect(found).toBe(weighted.length);
    // Behind these, pages of one engine tie with pages of another.
    expect(order.slice(0, 8)).toEqual(weighted.slice(0, 8));
    const plain = expectedKeys(lists, (_, position) => 1 / (60 + position));
    expect(order.slice(0, 5).sort()).toEqual(plain.slice(0, 5).sort());
    // Two spellings of one path, four engines, one page.
    expect(results[0]?.engines).toEqual([...engines]);
    expect(new Set(order).size).toBe(10);
    expect(JSON.stringify(rankPages(lists.toReversed(), query))).toBe(
      JSON.stringify({ results, found }),
    );
  },
);
