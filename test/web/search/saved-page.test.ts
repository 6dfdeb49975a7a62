import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { readSavedPage } from "../../../src/web/search/saved-page.ts";
import { fixture } from "./engines/read-fixture.ts";

describe("readSavedPage()", () => {
  test.each([
    ["bing", "bing/results.html", {}, { state: "ok", count: 2 }],
    ["Bing", "bing/results.html", { query: "tide pools" }, { state: "ok", count: 2 }],
    [
      "bing",
      "bing/results.html",
      { query: "quantum gravity" },
      {
        state: "ok",
        count: 0,
        note: "poisoned: none of 2 results has to do with the query; all dropped",
      },
    ],
    ["bing", "bing/no-results.html", {}, { state: "empty", count: 0 }],
    ["bing", "bing/captcha.html", {}, { state: "blocked", count: 0, note: "captcha" }],
    [
      "qwant",
      "qwant/throttled.json",
      {},
      { state: "blocked", count: 0, note: "rate limited: error_code 24" },
    ],
    [
      "bing",
      "bing/changed.html",
      {},
      {
        state: "parse_error",
        count: 0,
        note: "no results and no sign of why: the markup may have changed",
      },
    ],
    ["qwant", "qwant/error.json", {}, { state: "parse_error", count: 0, note: "error_code 22" }],
    [
      "yandex",
      "yandex/changed.html",
      { headers: { "x-yandex-captcha": "captcha" } },
      { state: "blocked", count: 0, note: "captcha" },
    ],
    [
      "mojeek",
      "mojeek/results.html",
      { status: 429 },
      { state: "blocked", count: 0, note: "rate limited: HTTP 429" },
    ],
  ])("%s %s %j", async (engine, file, meta, { count, ...expected }) => {
    const { results, ...reading } = await readSavedPage(engine, fixture(file), meta);
    const found: Record<string, unknown> = { ...reading, count: results.length };
    expect(found).toEqual({ ...expected, count });
  });

  test("gives title, address and snippet only", async () => {
    const { results } = await readSavedPage("wikipedia", fixture("wikipedia/results.json"), {
      language: "de",
    });
    expect(results[0]).toEqual({
      title: "Tide pool",
      url: "https://de.wikipedia.org/wiki/Tide_pool",
      snippet: 'A tide pool is a pool of seawater & rock "left behind".',
    });
  });

  test("refuses a name that is no engine's", async () => {
    const reading = readSavedPage("altavista", "");
    expect(await reading.catch((error: unknown) => error)).toBeInstanceOf(AppError);
  });
});
