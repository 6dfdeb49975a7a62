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

  test("notes results that have nothing to do with the query that stands in the page", async () => {
    const page = (box: string): string =>
      fixture("bing/results.html").replace(/<body[^>]*>/, (body) => `${body}<form>${box}</form>`);
    const notesOf = async (...boxes: string[]): Promise<(string | undefined)[]> =>
      await Promise.all(boxes.map(async (box) => (await readSavedPage("bing", page(box))).note));
    const unrelated =
      'poisoned: none of 2 results has to do with "quantum gravity", which the page was asked for; a search drops them all';
    expect(
      await notesOf(
        '<input name="q" value="quantum gravity">',
        '<textarea name="q">quantum gravity</textarea>',
        '<input name="q" value=""><input name="q" value="quantum gravity">',
        '<input name="q" value="tide pools">',
        '<input name="q" value="">',
        "",
      ),
    ).toEqual([unrelated, unrelated, unrelated, undefined, undefined, undefined]);
    const { state, results } = await readSavedPage(
      "bing",
      page('<input name="q" value="quantum gravity">'),
    );
    expect([state, results.length]).toEqual(["ok", 2]);
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
