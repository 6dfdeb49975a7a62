import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { type EngineId, engineIds } from "../../../src/web/search/engine.ts";
import { type EngineList, listPages } from "../../../src/web/search/engine-list.ts";
import { mergeLists, pageScore, rankPages } from "../../../src/web/search/rank-pages.ts";
import { parseQuery } from "../../../src/web/search/query.ts";

const query = parseQuery("kestrel");
const now = new Date("2026-03-31T12:00:00Z");

interface Written {
  readonly url: string;
  readonly title?: string;
  readonly snippet?: string;
  readonly date?: string;
}

/** The list of an engine, from addresses or whole results. */
function listOf(
  engine: EngineId,
  results: readonly (string | Written)[],
  { provider, weight }: { provider?: string; weight?: number } = {},
): EngineList {
  const raw = results.map((result) => {
    const written = typeof result === "string" ? { url: result } : result;
    return { title: "Kestrel", snippet: "", ...written };
  });
  return {
    engine,
    order: engineIds.indexOf(engine),
    provider: provider ?? engine,
    weight: weight ?? 1,
    pages: listPages(raw, now),
  };
}

const shownUrls = (lists: readonly EngineList[]): string[] =>
  rankPages(lists, query).results.map(({ url }) => url);

describe("rankPages()", () => {
  test("scores as docs/spec/search.md#score says: the best of each provider, and a quarter of its others", () => {
    const lists = [
      listOf("duckduckgo", ["https://a.org/"], { provider: "bing" }),
      listOf("yahoo", ["https://b.org/", "https://a.org/"], { provider: "bing", weight: 0.8 }),
      listOf("mojeek", ["https://c.org/", "https://d.org/", "https://a.org/"], { weight: 0.7 }),
    ];
    const score = 1 / 61 + 0.25 * (0.8 / 62) + 0.7 / 63;
    expect(rankPages(lists, query).results[0]).toEqual({
      rank: 1,
      title: "Kestrel",
      url: "https://a.org/",
      snippet: "",
      engines: ["duckduckgo", "yahoo", "mojeek"],
      score: Number(score.toFixed(12)),
    });
  });

  test("two indexes that agree come before four fronts of one", () => {
    const fronts = (["duckduckgo", "yahoo", "bing", "qwant"] as const).map((engine) =>
      listOf(engine, ["https://fronts.org/"], { provider: "bing" }),
    );
    const others = (["brave", "mojeek"] as const).map((engine) =>
      listOf(engine, ["https://both.org/"]),
    );
    expect(shownUrls([...fronts, ...others])).toEqual(["https://both.org/", "https://fronts.org/"]);
  });

  test("ties go to more providers, more engines, the best position, the fixed order, the address", () => {
    const tied = [
      listOf("brave", ["https://z.org/", "https://y.org/"]),
      listOf("duckduckgo", ["https://x.org/", "https://w.org/"]),
    ];
    expect(shownUrls(tied)).toEqual(["x", "z", "w", "y"].map((name) => `https://${name}.org/`));
  });

  test("shows ten and counts all", () => {
    const urls = Array.from({ length: 14 }, (_, index) => `https://a.org/${index}`);
    const { results, found } = rankPages([listOf("brave", urls)], query);
    expect([results.map(({ rank }) => rank), found]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 14]);
  });

  test("drops what breaks a `site:` filter", () => {
    const lists = [listOf("wikipedia", ["https://b.org/", "https://docs.a.org/"])];
    const { results, found } = rankPages(lists, parseQuery("kestrel site:a.org"));
    expect([results.map(({ url }) => url), found]).toEqual([["https://docs.a.org/"], 1]);
  });
});

describe("merged fields", () => {
  const fieldsOf = (...lists: EngineList[]): object | undefined => {
    const [result] = rankPages(lists, query).results;
    return result === undefined ? undefined : { ...result, rank: 0, score: 0, engines: [] };
  };
  const shared = { rank: 0, score: 0, engines: [] };

  test("the longest title that is no address; the snippet with the query's words; the first date", () => {
    expect(
      fieldsOf(
        listOf("brave", [
          {
            url: "https://a.org/k",
            title: "https://a.org/k?very=long&address=1",
            snippet: "x".repeat(99),
          },
        ]),
        listOf("startpage", [
          { url: "https://a.org/k", title: "Kestrel", snippet: "2 Mar 2020 ... The kestrel" },
        ]),
        listOf("mojeek", [
          {
            url: "https://a.org/k",
            title: "Kestrel, a falcon",
            snippet: "Kestrel",
            date: "2021-01-01",
          },
        ]),
      ),
    ).toEqual({
      ...shared,
      title: "Kestrel, a falcon",
      url: "https://a.org/k",
      snippet: "The kestrel",
      date: "2020-03-02",
    });
  });

  test("the address is https, then that of the engine that counts most", () => {
    const lists = [
      listOf("brave", ["http://a.org/"]),
      listOf("mojeek", ["https://c.org/", "https://www.a.org/index.html"], { weight: 0.7 }),
      listOf("wikipedia", ["https://a.org/?utm_source=w"], { weight: 0.6 }),
    ];
    expect(fieldsOf(...lists)).toMatchObject({ url: "https://www.a.org/index.html" });
  });

  test("a title that is an address is shown when there is no other", () => {
    expect(fieldsOf(listOf("mojeek", [{ url: "https://a.org/", title: "a.org" }]))).toMatchObject({
      title: "a.org",
    });
  });
});

describe("mergeLists()", () => {
  const groups = (...lists: EngineList[]): string[][] =>
    mergeLists(lists).map((seen) =>
      seen.map(({ list, page }) => `${list.engine} ${page.position} ${page.url.pathname}`),
    );

  test("of an engine the first place counts, and others keep theirs", () => {
    expect(
      groups(listOf("brave", ["https://a.org/x", "http://www.a.org/x/", "https://a.org/y"])),
    ).toEqual([["brave 1 /x"], ["brave 3 /y"]]);
  });

  test("paths that differ in case are one page when a title is the same but for its case", () => {
    const titled = (title: string, path: string): Written => ({
      url: `https://a.org${path}`,
      title,
    });
    expect(
      groups(
        listOf("brave", [titled("JavaScript Tutorial", "/js/")]),
        listOf("bing", [titled("JAVASCRIPT tutorial", "/Js/"), titled("Another", "/JS")]),
      ),
    ).toEqual([["bing 2 /JS"], ["brave 1 /js/", "bing 1 /Js/"]]);
  });
});

describe("listPages()", () => {
  test("keeps web pages with a title, without ads and click counters", () => {
    const urls = [
      "ftp://a.org/",
      "javascript:alert(1)",
      "not an address",
      "https://user@a.org/",
      "https://www.bing.com/aclick?x",
      "https://duckduckgo.com/y.js?ad",
      "https://ad.doubleclick.net/x",
      "https://yandex.ru/clck/jsredir",
      `https://a.org/${"x".repeat(2_000)}`,
      "https://a.org/kept",
    ];
    expect(listOf("brave", urls).pages.map(({ url, position }) => [url.href, position])).toEqual([
      ["https://a.org/kept", 1],
    ]);
    expect(listOf("brave", [{ url: "https://a.org/", title: " \u200b" }]).pages).toEqual([]);
  });

  test("looks at the first hundred of an engine", () => {
    const urls = Array.from({ length: 101 }, (_, index) => `https://a.org/${index}`);
    expect(listOf("brave", urls).pages).toHaveLength(100);
  });

  test("cuts titles at 200 and snippets at 300 characters", () => {
    const [page] = listOf("brave", [
      { url: "https://a.org/", title: "word ".repeat(99), snippet: "word ".repeat(99) },
    ]).pages;
    expect([page?.title.length, page?.snippet.length]).toEqual([200, 300]);
  });
});

/** Lists of a few engines, with pages of a small world so that they overlap. */
const anyLists = fc
  .uniqueArray(fc.constantFrom(...engineIds), { minLength: 1, maxLength: 8 })
  .chain((engines) =>
    fc.tuple(
      ...engines.map((engine) =>
        fc
          .record({
            urls: fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 12 }),
            weight: fc.constantFrom(0.3, 0.6, 0.8, 1),
            provider: fc.constantFrom("one", "two", engine as string),
          })
          .map(({ urls, weight, provider }) =>
            listOf(
              engine,
              urls.map((number) => `https://a.org/${number}`),
              { weight, provider },
            ),
          ),
      ),
    ),
  );

describe("the fusion of any lists", () => {
  test("is the same, byte for byte, whoever came first", () => {
    const shuffled = anyLists.chain((lists) =>
      fc.tuple(fc.constant(lists), fc.shuffledSubarray(lists, { minLength: lists.length })),
    );
    fc.assert(
      fc.property(shuffled, ([lists, others]) => {
        expect(JSON.stringify(rankPages(others, query))).toBe(
          JSON.stringify(rankPages(lists, query)),
        );
      }),
    );
  });

  const scores = (lists: readonly EngineList[]): Map<string, number> =>
    new Map(mergeLists(lists).map((seen) => [seen[0]?.page.key ?? "", pageScore(seen)]));

  test("without an engine raises no page, least of all one that it alone returned", () => {
    fc.assert(
      fc.property(anyLists, fc.nat(), (lists, number) => {
        const removed = number % lists.length;
        const before = scores(lists);
        const after = scores(lists.filter((_, index) => index !== removed));
        for (const [key, score] of after) expect(score).toBeLessThanOrEqual(before.get(key) ?? 0);
      }),
    );
  });

  test("each further engine of a provider adds at most a quarter of that provider's best", () => {
    const positions = fc.array(fc.integer({ min: 0, max: 19 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(positions, (places) => {
        const engines = ["duckduckgo", "yahoo", "bing", "qwant"] as const;
        const lists = places.map((place, index) => {
          const before = Array.from(
            { length: place },
            (_, rank) => `https://b.org/${index}/${rank}`,
          );
          const engine = engines[index] ?? "bing";
          return listOf(engine, [...before, "https://a.org/"], { provider: "bing" });
        });
        const alone = Math.max(...lists.map((list) => scores([list]).get("a.org") ?? 0));
        const together = scores(lists).get("a.org") ?? 0;
        expect(together).toBeLessThanOrEqual(alone * (1 + 0.25 * (lists.length - 1)) + 1e-9);
      }),
    );
  });

  test("never takes from a page that one engine ranks higher", () => {
    fc.assert(
      fc.property(anyLists, fc.nat(), fc.nat(), (lists, listNumber, place) => {
        const list = lists[listNumber % lists.length];
        if (list === undefined || list.pages.length < 2) return;
        const at = 1 + (place % (list.pages.length - 1));
        const raised = list.pages[at];
        const passed = list.pages[at - 1];
        if (raised === undefined || passed === undefined || raised.key === passed.key) return;
        const pages = list.pages.with(at - 1, { ...raised, position: at }).with(at, {
          ...passed,
          position: at + 1,
        });
        const after = scores(lists.map((one) => (one === list ? { ...list, pages } : one)));
        expect(after.get(raised.key) ?? 0).toBeGreaterThanOrEqual(
          scores(lists).get(raised.key) ?? 1,
        );
      }),
    );
  });
});
