import { describe, expect, test } from "bun:test";
import type { EngineAnswer, EngineId } from "../../../../src/web/search/engine.ts";
import { fixture, readText } from "./read-fixture.ts";

type Good = Extract<EngineAnswer, { state: "ok" }>;

const pools = { title: "Life in tide pools", url: "https://tides.example/pools" };
const rock = { title: "Rock pools", url: "https://direct.example/rock", snippet: "" };
const crabs = "Anemones & crabs.";

/** Each layout of each engine: redirects undone, ads and widgets left out, dates in their fields. */
const rows: readonly (readonly [EngineId, string, Omit<Good, "state">])[] = [
  [
    "duckduckgo",
    "results.html",
    {
      results: [
        {
          title: "Life in tide pools",
          url: "https://tides.example/pools?a=1&b=2%2F3",
          snippet: "Anemones & crabs share a tide pool.",
          date: "2026-03-02",
        },
        { title: "Rock pools, directly", url: "https://direct.example/rock", snippet: "" },
      ],
    },
  ],
  ["duckduckgo", "lite-results.html", { results: [{ ...pools, snippet: crabs }, rock] }],
  [
    "brave",
    "results.html",
    {
      results: [
        { ...pools, snippet: "December 13, 2024 - Anemones & crabs share a tide pool." },
        {
          title: "A film of the shore",
          url: "https://film.example/w?v=1",
          snippet: "4 days ago - Low tide, filmed.",
        },
        { title: "An older layout", url: "https://old.example/", snippet: "With a description." },
      ],
    },
  ],
  [
    "startpage",
    "results-json.html",
    {
      results: [
        {
          title: "Life in tide pools & more",
          url: "https://tides.example/pools",
          snippet: "14 Oct 2023 ... Anemones <and> crabs in a tide pool.",
        },
        rock,
      ],
    },
  ],
  ["startpage", "results-literal.html", { results: [{ ...pools, snippet: "It's wet & cold." }] }],
  [
    "startpage",
    "results-html.html",
    { results: [{ ...pools, snippet: "14 Oct 2023 ... Anemones & crabs." }, rock] },
  ],
  [
    "yahoo",
    "results.html",
    {
      results: [
        {
          title: "Life in tide pools — a guide",
          url: "https://tides.example/pools?a=1&b=2",
          snippet: "Anemones & crabs share a tide pool.",
        },
        rock,
      ],
    },
  ],
  ["yahoo", "results-regional.html", { results: [{ ...pools, snippet: "Anemones." }, rock] }],
  [
    "bing",
    "results.html",
    {
      results: [
        {
          title: "Life in tide pools",
          url: "https://tides.example/pools?a=1&b=%C3%BC",
          snippet: "Jul 16, 2025 · Anemones & crabs.",
        },
        { ...rock, snippet: "A rich snippet." },
      ],
    },
  ],
  [
    "bing",
    "feed.html",
    {
      results: [
        {
          title: "Life in tide pools & more",
          url: "https://tides.example/pools?a=1&b=2",
          snippet: crabs,
          date: "2026-03-02",
        },
        rock,
      ],
    },
  ],
  [
    "mojeek",
    "results.html",
    {
      results: [
        { ...pools, snippet: crabs },
        { title: "plain.example", url: "http://plain.example/", snippet: "" },
      ],
    },
  ],
  [
    "google",
    "results-phone.html",
    {
      results: [
        {
          title: "Life in tide pools",
          url: "https://tides.example/pools?a=1&b=2",
          snippet: crabs,
        },
        rock,
      ],
    },
  ],
  [
    "google",
    "results-desktop.html",
    {
      results: [
        { ...pools, snippet: "20 Aug 2025 — Anemones & crabs." },
        { title: "A film of the shore", url: "https://film.example/w?v=1", snippet: "" },
        { ...rock, snippet: "Also pools." },
      ],
    },
  ],
  [
    "yandex",
    "results-site.html",
    { results: [{ ...pools, snippet: "Anemones & crabs. 潮池の" }, rock] },
  ],
  ["yandex", "results-main.html", { results: [{ ...pools, snippet: crabs }] }],
  ["qwant", "results.json", { results: [{ ...pools, snippet: crabs }, rock] }],
  [
    "wikipedia",
    "results.json",
    {
      results: [
        {
          title: "Tide pool",
          url: "https://en.wikipedia.org/wiki/Tide_pool",
          snippet: 'A tide pool is a pool of seawater & rock "left behind".',
          date: "2026-03-02",
        },
        {
          title: "What's a C# pool? (film): 50% more",
          url: "https://en.wikipedia.org/wiki/What%27s_a_C%23_pool%3F_(film):_50%25_more",
          snippet: "",
          date: "2025-01-01",
        },
      ],
    },
  ],
  [
    "mwmbl",
    "results.json",
    {
      results: [
        { ...pools, snippet: "Anemones & crabs" },
        { title: "Rock <pools>", url: "https://direct.example/rock", snippet: "" },
        { title: "Plain", url: "http://plain.example/", snippet: "" },
      ],
    },
  ],
  [
    "stackexchange",
    "results.json",
    {
      results: [
        {
          title: 'Why doesn\'t my "tide" <div> rise?',
          url: "https://stackoverflow.com/questions/1/tide",
          snippet: "Stack Overflow: answered question · score 12 · tags: css, html",
          date: "2026-03-02",
        },
        {
          title: "Thread pools",
          url: "https://stackoverflow.com/questions/2/pool",
          snippet: "Stack Overflow: open question · score 0",
        },
      ],
      backoffMs: 10_000,
    },
  ],
  [
    "hackernews",
    "results.json",
    {
      results: [
        { ...pools, snippet: "Hacker News: 57 points", date: "2026-03-02" },
        {
          title: "Ask HN: Which tide pool?",
          url: "https://news.ycombinator.com/item?id=102",
          snippet: "I like crabs & anemones.",
          date: "2025-01-01",
        },
      ],
    },
  ],
  [
    "marginalia",
    "results.json",
    {
      results: [
        { ...pools, snippet: "Anemones & crabs" },
        { title: "Plain", url: "http://plain.example/", snippet: "" },
      ],
    },
  ],
  [
    "ecosia",
    "results.html",
    { results: [{ ...pools, snippet: "20 Aug 2025 ... Anemones & crabs." }, rock] },
  ],
  [
    "baidu",
    "results.json",
    {
      results: [
        {
          title: "潮池 <生物>",
          url: "https://tides.example/pools",
          snippet: "海葵 & 螃蟹",
          date: "2026-03-02",
        },
        { ...rock, snippet: "line tab" },
      ],
    },
  ],
  [
    "baidu",
    "results.html",
    {
      results: [
        { title: "潮池生物", url: "https://tides.example/pools", snippet: "2023年12月1日海葵螃蟹" },
        rock,
      ],
    },
  ],
  [
    "searxng",
    "results.json",
    {
      results: [{ ...pools, snippet: crabs, date: "2026-03-02" }, rock],
      detail: "unresponsive: google (Suspended: CAPTCHA), qwant (timeout)",
    },
  ],
];

describe("results", () => {
  test.each(rows)("%s reads %s", async (id, file, expected) => {
    expect(await readText(id, fixture(`${id}/${file}`))).toEqual({ state: "ok", ...expected });
  });
});
