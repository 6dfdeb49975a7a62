import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGuard } from "../../../src/web/guard/create-guard.ts";
import { searchDeadlines } from "../../../src/web/search/ask-all.ts";
import {
  createSearch,
  type WebSearch,
  SearchCache,
} from "../../../src/web/search/create-search.ts";
import type { SearchOptions } from "../../../src/web/search/engine.ts";
import type { SearchReply } from "../../../src/web/search/search-reply.ts";
import { PlayedEngines, troubledEngines } from "../../fixtures/played-engines.ts";

const patient = new AbortController().signal;
/** Engines in order answer within it even where the processors are busy with other tests. */
const deadlines = {
  ...searchDeadlines,
  engineMsMax: 12_000,
  searchMsMax: 18_000,
  earlyGraceMs: 3_000,
};

/** Searches with one store, as several processes have it. */
class Household implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "scorpiox-search-"));
  readonly #guard = createGuard({ allowHosts: [], proxyEnv: {} });
  readonly #searches: WebSearch[] = [];

  constructor(readonly baseUrls: Readonly<Record<string, string>>) {}

  open(more: Partial<SearchOptions> = {}): WebSearch {
    const options: SearchOptions = {
      engines: undefined,
      baseUrls: this.baseUrls,
      searxngUrl: undefined,
      language: "en",
      region: undefined,
      marginaliaKey: undefined,
      storePath: join(this.#folder, "s.db"),
      ...more,
    };
    const search = createSearch(options, this.#guard, deadlines);
    this.#searches.push(search);
    return search;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const search of this.#searches) await search[Symbol.asyncDispose]();
    await this.#guard[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }
}

const statesOf = ({ engines }: SearchReply): Record<string, string> =>
  Object.fromEntries(engines.map(({ name, status }) => [name, status]));

describe("createSearch(): the eleven engines, played by local servers", () => {
  test("six in trouble: an answer in time, each state told, the list of docs/spec/search.md#score", async () => {
    await using engines = new PlayedEngines(troubledEngines);
    await using household = new Household(engines.baseUrls);
    const reply = await household.open().search({ query: "kestrel" }, patient);
    expect(statesOf(reply)).toEqual({
      duckduckgo: "ok",
      brave: "ok",
      startpage: "ok",
      yahoo: "timeout",
      bing: "blocked",
      mojeek: "rate_limited",
      google: "parse_error",
      yandex: "error",
      qwant: "timeout",
      wikipedia: "ok",
      mwmbl: "ok",
    });
    expect(
      reply.results.map(({ title, engines: by }) => [title.replace("Kestrel ", ""), by.join()]),
    ).toEqual([
      ["shared", "duckduckgo,brave,startpage"],
      ["two", "duckduckgo,brave"],
      ["six", "startpage"],
      ["one", "duckduckgo"],
      ["four", "brave"],
      ["seven", "startpage"],
      ["three", "duckduckgo"],
      ["five", "brave"],
      ["eight", "startpage"],
      ["nine", "wikipedia"],
    ]);
    expect([reply.found, reply.partial]).toEqual([12, true]);

    // Another process: those that said so are left alone, and the bench is asked instead of them.
    const next = await household.open().search({ query: "kestrel" }, patient);
    const suspended = next.engines.filter(({ status }) => status === "suspended");
    expect(suspended.map(({ name, detail }) => [name, detail?.replace(/^\S+ \S+: /, "")])).toEqual([
      ["bing", "blocked (captcha)"],
      ["mojeek", "rate limited (HTTP 429)"],
      ["yandex", "error (body too large)"],
    ]);
    expect(
      next.engines.flatMap(({ name, replaces }) =>
        replaces === undefined ? [] : [[name, replaces]],
      ),
    ).toEqual([
      ["stackexchange", "bing"],
      ["hackernews", "mojeek"],
      ["marginalia", "yandex"],
    ]);
    expect([engines.asked.get("bing"), engines.asked.get("mojeek")]).toEqual([1, 1]);
  }, 60_000);

  test("named engines are asked and no others, with those of the user's own besides", async () => {
    await using engines = new PlayedEngines(troubledEngines);
    await using household = new Household(engines.baseUrls);
    const named = household.open({
      engines: ["mwmbl", "mojeek", "nobody"],
      searxngUrl: `${engines.baseUrls["mwmbl"]}/`,
    });
    const reply = await named.search({ query: "kestrel" }, patient);
    expect(statesOf(reply)).toEqual({
      mwmbl: "ok",
      mojeek: "rate_limited",
      searxng: "parse_error",
    });
    const again = await household
      .open({ engines: ["mojeek"] })
      .search({ query: "kestrel" }, patient);
    expect(statesOf(again)).toEqual({ mojeek: "suspended" });
  });

  test("ten pages that take long to parse: the eleventh engine is heard, and the deadline holds", async () => {
    await using engines = new PlayedEngines(troubledEngines);
    const { mwmbl } = engines.behaviours;
    engines.setAll({ kind: "heavy" });
    engines.behaviours.mwmbl = mwmbl;
    await using household = new Household(engines.baseUrls);
    const reply = await household.open().search({ query: "kestrel" }, patient);
    expect([statesOf(reply)["mwmbl"], reply.found]).toEqual(["ok", 2]);
    const kinds = new Set(["ok", "parse_error", "timeout", "blocked"]);
    expect(Object.values(statesOf(reply)).filter((status) => !kinds.has(status))).toEqual([]);
  }, 60_000);
});

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
