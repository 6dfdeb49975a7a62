import { expect, test } from "bun:test";
import fc from "fast-check";

import { engineIds } from "../../../src/web/search/engine.ts";
import type { RawResult } from "../../../src/web/search/engine.ts";
import { listPages } from "../../../src/web/search/engine-list.ts";
import { parseQuery } from "../../../src/web/search/query.ts";
import { rankPages } from "../../../src/web/search/rank-pages.ts";
import { replyText } from "../../../src/web/search/search-reply.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 400 }), fc.lorem({ maxCount: 60 }));
const address = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: "binary", maxLength: 40 }).map((path) => `https://a.example/${path}`),
  text,
);
const anyResult: fc.Arbitrary<RawResult> = fc.record(
  { title: text, url: address, snippet: text, date: text },
  { requiredKeys: ["title", "url", "snippet"] },
);
const anyQuery = text.map((written) => parseQuery(`${written} kestrel`));

test("whatever engines send, the reply is bounded, fit to be shown, and in its order", () => {
  const lists = fc.uniqueArray(fc.tuple(fc.constantFrom(...engineIds), fc.array(anyResult)), {
    selector: ([engine]) => engine,
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(lists, anyQuery, (written, query) => {
      const engineLists = written.map(([engine, results]) => ({
        engine,
        order: engineIds.indexOf(engine),
        provider: engine,
        weight: 1,
        pages: listPages(results, new Date("2026-03-31T12:00:00Z")),
      }));
      const ranked = rankPages(engineLists, query);
      const reply = {
        query: query.text,
        ...ranked,
        engines: engineLists.map(({ engine, pages }) => ({
          name: engine,
          status: "ok" as const,
          count: pages.length,
          ms: 1,
        })),
        elapsedMs: 1,
        cached: false,
        partial: false,
      };
      const shown = replyText(reply);
      expect(shown.length).toBeLessThanOrEqual(8_000);
      expect(shown.replaceAll("\n", "")).not.toMatch(
        /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u,
      );
      const scores = ranked.results.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      for (const { url, title, snippet, date } of ranked.results) {
        expect(url).toMatch(/^https?:\/\/[^\s\u0080-\uffff]+$/);
        expect(title.length).toBeWithin(1, 201);
        expect(snippet.length).toBeLessThanOrEqual(300);
        expect(date ?? "2026-01-01").toMatch(/^\d{4}-\d\d-\d\d$/);
      }
    }),
    { numRuns: shareOf(200) },
  );
});
