import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type EngineAnswer, engineIds } from "../../../../src/web/search/engine.ts";
import { fixture, readText } from "./read-fixture.ts";
import { shareOf } from "../../../fixtures/long-run.ts";

/** What the engines' markup is made of, in any order, with whatever a hostile site might put into it. */
const openings = [
  '<div id="links">',
  '<div class="result web-result snippet algo-sr zMzFAb c-container" data-type="web" data-test-id="mainline-result-web" mu="',
  '<ol id="b_results"><li class="b_algo serp-item">',
  '<ul class="results-standard"><li>',
  '<div id="content_left"><div id="search"><h3>',
  '<div class="compTitle result-content compText b_caption">',
  '<h2 class="result__title">',
  '<a class="result__a result-link result-title title fuLhoc OrganicTitle-Link" data-test-id="result-link" href="',
  '<span class="CVA68e search-snippet-title">',
  '<p class="s description result__snippet">',
  '<tr class="result-sponsored"><td class="result-snippet">',
  "<rss><channel><item><link>",
  "<script>var data = ",
  "<script>React.createElement(UIStartpage.AppSerpWeb, ",
  '{"render":{"presenter":{"regions":{"mainline":[{"display_type":"web-google","results":[',
  '{"title":"x","clickUrl":"',
  "</div>",
  "</a>",
  "</h3>",
  "</script>",
  '">',
  "<",
];
const addresses = [
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "//duckduckgo.com/l/?uddg=javascript%3Aalert(1)",
  "//duckduckgo.com/l/?uddg=%E0%A4%A",
  "/url?q=javascript:alert(1)",
  "/url?q=%ZZ",
  "https://r.search.yahoo.com/RU=file%3a%2f%2f%2fetc/RK=2/RS=x",
  "https://www.bing.com/ck/a?u=a1amF2YXNjcmlwdDphbGVydCgxKQ",
  "https://www.bing.com/ck/a?u=",
  "https://[",
  "http://good.example/a",
  "HTTPS://Good.Example/Ä b",
];

const pieces = fc.oneof(
  fc.constantFrom(...openings),
  fc.constantFrom(...addresses),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const pages = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""));

const names = [
  "title",
  "url",
  "link",
  "clickUrl",
  "objectID",
  "snippet",
  "extract",
  "desc",
  "abs",
  "status",
  "data",
  "result",
  "items",
  "mainline",
  "type",
  "results",
  "hits",
  "feed",
  "entry",
  "query",
  "search",
  "error",
  "error_id",
  "backoff",
  "time",
  "timestamp",
  "unresponsive_engines",
  "__proto__",
];
const leaves = fc.oneof(
  fc.constantFrom(...addresses, "success", "error", "web", "\ud800", "<b>x", 24, 1e300, -1, null),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaves,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 5 }),
  ),
}));
/** Where each API has its list. */
const wrappers: readonly ((list: unknown) => unknown)[] = [
  (list) => list,
  (list) => ({ items: list, hits: list, results: list, unresponsive_engines: list }),
  (list) => ({ query: { search: list }, feed: { entry: list } }),
  (list) => ({
    status: "success",
    data: { result: { items: { mainline: [{ type: "web", items: list }] } } },
  }),
];
const bodies = fc
  .tuple(fc.array(value, { maxLength: 4 }), fc.constantFrom(...wrappers))
  .map(([list, wrap]) => JSON.stringify(wrap(list)));

const statuses = fc.constantFrom(200, 202, 204, 302, 403, 429, 500, 503, 999);

function offendersOf(answer: EngineAnswer): unknown[] {
  if (answer.state !== "ok") return [];
  if (answer.results.length === 0) return ["ok without results"];
  return answer.results.filter(
    ({ title, url, snippet }) =>
      title === "" ||
      !/^https?:\/\/[^\s]+$/i.test(url) ||
      URL.parse(url) === null ||
      typeof snippet !== "string",
  );
}

describe("whatever an engine answers", () => {
  test.each([
    ["HTML", pages, 100],
    ["JSON", bodies, 100],
    ["text", fc.string({ unit: "binary", maxLength: 200 }), 40],
  ] as const)(
    "%s is read without throwing, and results have addresses of the Web",
    async (_, texts, runs) => {
      await fc.assert(
        fc.asyncProperty(texts, statuses, async (text, status) => {
          for (const id of engineIds) {
            expect(offendersOf(await readText(id, text, { status }))).toEqual([]);
          }
        }),
        { numRuns: shareOf(runs) },
      );
    },
  );

  const repeat = (piece: string): string =>
    piece.repeat(Math.floor(shareOf(3_000_000) / piece.length));

  /** Up to 3 MB each: quadratic work on one of them would take longer than a test may. */
  test.each([
    [
      "duckduckgo",
      "nested elements",
      repeat('<div id="links" class="result web-result snippet" data-type="web">'),
    ],
    [
      "duckduckgo",
      "tables in tables",
      repeat("<table><tr><td class=result-snippet><a class=result-link href=http://a.b>x</a>"),
    ],
    [
      "google",
      "many results",
      `<div id="search">${repeat('<a href="http://a.example/"><h3>t</h3></a>')}`,
    ],
    [
      "bing",
      "unclosed formatting",
      Array.from({ length: 60_000 }, (_, i) => `<p><b class="c${i}">`).join(""),
    ],
    [
      "startpage",
      "beginnings of data",
      `<script>${repeat("React.createElement(UIStartpage.AppSerpWeb, {a:[")}`,
    ],
    ["startpage", "comments without end", `<script>${repeat("var data = {/*")}`],
    ["yahoo", "beginnings of a sentence", repeat("unable to process request at this time ")],
    [
      "brave",
      "results in results",
      `${'<div class="snippet" data-type="web"><div class="result-content">'.repeat(100)}${repeat("<p class=x>" + "y".repeat(60))}`,
    ],
    ["startpage", "an endless string", `<script>var data = {a:"${repeat("\\")}`],
    ["startpage", "nested lists", `<script>var data = ${repeat("[")}`],
    ["mwmbl", "nested JSON", repeat('{"items":[')],
    ["stackexchange", "one long text", repeat("x")],
  ] as const)("%s reads very many %s in bounded time", async (id, _, text) => {
    expect(offendersOf(await readText(id, text))).toEqual([]);
  });

  test("a large page with results in front has them", async () => {
    const text = fixture("duckduckgo/results.html").replace("</body>", repeat("<!-- filler -->"));
    expect(await readText("duckduckgo", text)).toMatchObject({
      state: "ok",
      results: [{ title: "Life in tide pools" }, { title: "Rock pools, directly" }],
    });
  });
});
