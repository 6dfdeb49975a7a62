import { describe, expect, test } from "bun:test";

import {
  type EngineReport,
  type SearchReply,
  replyText,
} from "../../../src/web/search/search-reply.ts";
import { captcha, found, plainEngine } from "./plain-engine.ts";
import { hang, patient, SearchStage } from "./search-stage.ts";
import type { Play } from "./search-stage.ts";

const query = { query: "kestrel" };
const stateOf = ({ name, status, detail, replaces }: EngineReport): string =>
  [name, status, detail, replaces].filter((part) => part !== undefined).join(" ");
const states = (reply: SearchReply): string[] => reply.engines.map(stateOf);
const urls = (...names: string[]): string[] => names.map((name) => `https://${name}.example/`);

/** Eleven engines, each in another trouble or none. */
const elevenPlays = {
  duckduckgo: found(...urls("a", "b", "c", "d", "e", "f")),
  brave: found(...urls("b", "a", "g", "h")),
  startpage: found(...urls("a", "g", "i", "j")),
  yahoo: hang,
  bing: () => new Response("slow down", { status: 429, headers: { "Retry-After": "120" } }),
  mojeek: captcha,
  google: () => new Response("<html>garbage"),
  yandex: () => new Response("x".repeat(4_000_000)),
  qwant: (): Response =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          // A byte now and then, for ever.
          await Bun.sleep(300);
          controller.enqueue(new TextEncoder().encode(" "));
        },
      }),
    ),
  wikipedia: found(...urls("k", "l")),
  mwmbl: { state: "no_results" },
} satisfies Record<string, Play>;

/** The plain engine reads answers from bodies; 429 is what `bing` plays. */
const engines = (Object.keys(elevenPlays) as (keyof typeof elevenPlays)[]).map((id) => ({
  ...plainEngine(id),
  ...(id === "bing" && {
    read: async () =>
      ({ state: "rate_limited", detail: "HTTP 429", retryAfterMs: 120_000 }) as const,
  }),
}));

describe("a search of eleven engines", () => {
  test("answers in time, tells every state, and leaves those alone that said so", async () => {
    await using stage = new SearchStage(elevenPlays, { engines });
    const search = stage.open();
    const reply = await search.search(query, patient);
    expect(states(reply)).toEqual([
      "duckduckgo ok",
      "brave ok",
      "startpage ok",
      "yahoo timeout early return",
      "bing rate_limited HTTP 429",
      "mojeek blocked captcha",
      "google parse_error no JSON",
      "yandex error body too large",
      "qwant timeout early return",
      "wikipedia ok",
      "mwmbl no_results",
    ]);
    expect(replyText(reply)).toContain(
      "Engines: duckduckgo ok 6; brave ok 4; startpage ok 4; yahoo timeout (early return); bing rate limited (HTTP 429); " +
        "mojeek blocked (captcha); google parse error (no JSON); yandex error (body too large); " +
        "qwant timeout (early return); wikipedia ok 2; mwmbl no results",
    );
    expect([reply.found, reply.results.length, reply.partial, reply.cached]).toEqual([
      12,
      10,
      true,
      false,
    ]);

    // Another process, a while later: its own pace, cache and connections, the same store.
    stage.nowMs += 6_000;
    const second = await stage.open().search(query, patient);
    expect(states(second).filter((state) => state.includes("suspended"))).toEqual([
      "bing suspended 2 min: rate limited (HTTP 429)",
      "mojeek suspended 60 min: blocked (captcha)",
    ]);
    expect([stage.count("bing"), stage.count("mojeek"), stage.count("google")]).toEqual([1, 1, 2]);
  }, 60_000);

  test("with too little found it waits for the engines' own deadline, and calls that a failure", async () => {
    await using stage = new SearchStage({ brave: found(...urls("a")), bing: hang });
    const reply = await stage.open().search(query, patient);
    expect(states(reply)).toEqual(["brave ok", "bing timeout"]);
    expect(reply.results.map(({ url }) => url)).toEqual(urls("a"));
    const next = await stage.open().search(query, patient);
    expect(states(next)).toEqual(["brave ok", "bing suspended 5 s: timeout"]);
  }, 60_000);
});

test("the self-check waits for slow engines, where a search has had enough", async () => {
  const quick = ["duckduckgo", "brave", "startpage", "yahoo", "bing", "mojeek", "google"] as const;
  const plays = Object.fromEntries(
    quick.map((id) => [id, found(...urls(`python-${id}-a`, `python-${id}-b`))]),
  );
  const slow: Play = async () => {
    await Bun.sleep(1_300);
    return Response.json(found(...urls("python-slow")));
  };
  await using stage = new SearchStage({ ...plays, yandex: slow });
  const reply = await stage.open().report(patient);
  expect(states(reply)).toEqual([...quick.map((id) => `${id} ok`), "yandex ok"]);
});

describe("the cache", () => {
  test("gives the same reply again, but not one in which every engine failed", async () => {
    await using stage = new SearchStage({
      brave: () => new Response("?"),
      bing: () => new Response("?"),
    });
    const search = stage.open();
    const failed = await search.search(query, patient);
    expect(states(failed)).toEqual(["brave parse_error no JSON", "bing parse_error no JSON"]);
    stage.plays["brave"] = found(...urls("a"));
    const fresh = await search.search({ query: "  kestrel " }, patient);
    expect([fresh.cached, fresh.results.length]).toEqual([false, 1]);
    expect(await search.search(query, patient)).toEqual({ ...fresh, cached: true });
    expect(stage.count("brave")).toBe(2);
  });

  test("a reply is of the principal who asked", async () => {
    await using stage = new SearchStage({ brave: found(...urls("a")) });
    const search = stage.open();
    const cached: boolean[] = [];
    for (const cacheOwner of ["a", "a", "b", "b"]) {
      cached.push((await search.search({ ...query, cacheOwner }, patient)).cached);
    }
    expect(cached).toEqual([false, true, false, true]);
    await Promise.all(
      ["c", "d"].map((cacheOwner) => search.search({ ...query, cacheOwner }, patient)),
    );
    expect(stage.count("brave")).toBe(4);
  });

  test("identical searches in flight are one; a caller who goes does not take it along", async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await using stage = new SearchStage({
      brave: async () => {
        begun.resolve();
        await release.promise;
        return Response.json(found(...urls("a")));
      },
    });
    const search = stage.open();
    const impatient = new AbortController();
    const first = search.search(query, impatient.signal);
    const second = search.search(query, patient);
    await begun.promise;
    impatient.abort();
    expect(first).rejects.toMatchObject({ code: "cancelled" });
    release.resolve();
    expect((await second).results).toHaveLength(1);
    expect(stage.count("brave")).toBe(1);
  });
});

test("a cancelled search ends its connections and holds nothing against the engines", async () => {
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  await using stage = new SearchStage({
    brave: (request) => {
      request.signal.addEventListener("abort", () => closed.resolve());
      begun.resolve();
      return new Promise<Response>(() => {});
    },
  });
  const search = stage.open();
  const caller = new AbortController();
  const reply = search.search(query, caller.signal);
  await begun.promise;
  caller.abort();
  expect(reply).rejects.toMatchObject({ code: "cancelled" });
  await closed.promise;
  stage.plays["brave"] = found(...urls("a"));
  expect(states(await stage.open().search(query, patient))).toEqual(["brave ok"]);
});

test.each(["", "  \n ", "\u200b\u{e0041}"])("a blank query is refused: %j", async (blank) => {
  await using stage = new SearchStage({ brave: hang });
  expect(stage.open().search({ query: blank }, patient)).rejects.toMatchObject({
    code: "usage",
  });
});

describe("suspended engines", () => {
  test("give their slots to the bench, in its order; one that is due is probed", async () => {
    const bench = [plainEngine("stackexchange"), plainEngine("hackernews")];
    await using stage = new SearchStage(
      { brave: captcha, bing: captcha, mojeek: found(...urls("a")), stackexchange: captcha },
      { bench, engines: [plainEngine("brave"), plainEngine("bing"), plainEngine("mojeek")] },
    );
    stage.plays["hackernews"] = found(...urls("h"));
    await stage.open().search(query, patient);
    expect(states(await stage.open().search(query, patient))).toEqual([
      "brave suspended 60 min: blocked (captcha)",
      "stackexchange blocked captcha brave",
      "bing suspended 60 min: blocked (captcha)",
      "hackernews ok bing",
      "mojeek ok",
    ]);
    stage.nowMs += 3_600_000;
    stage.plays["brave"] = found(...urls("b"));
    expect(states(await stage.open().search(query, patient))).toEqual([
      "brave ok",
      "bing blocked captcha",
      "mojeek ok",
    ]);
    // The probe of bing failed: its time has doubled. That of brave did not: nothing is held against it.
    stage.nowMs += 1;
    expect(states(await stage.open().search(query, patient))).toEqual([
      "brave ok",
      "bing suspended 120 min: blocked (captcha)",
      "stackexchange blocked captcha bing",
      "mojeek ok",
    ]);
  });

  test("all of them: the two that answer nearly always are asked all the same", async () => {
    await using stage = new SearchStage({ brave: captcha, wikipedia: captcha, mwmbl: captcha });
    const failed = await stage.open().search(query, patient);
    expect(states(failed).every((state) => state.endsWith("blocked captcha"))).toBe(true);
    stage.plays["mwmbl"] = found(...urls("a"));
    expect(states(await stage.open().search(query, patient))).toEqual([
      "brave suspended 60 min: blocked (captcha)",
      "wikipedia blocked captcha",
      "mwmbl ok",
    ]);
    expect(replyText(failed)).toContain("WEBSEARCH_ENGINES");
  });

  test("of two searches at the same time one probes, the other leaves the engine alone", async () => {
    await using stage = new SearchStage({ brave: captcha, bing: found(...urls("a")) });
    await stage.open().search(query, patient);
    stage.nowMs += 3_600_000;
    stage.plays["brave"] = found(...urls("b"));
    const replies = await Promise.all(
      [stage.open(), stage.open(), stage.open()].map((search) => search.search(query, patient)),
    );
    expect(stage.count("brave")).toBe(2);
    expect(replies.flatMap(states).filter((state) => state === "brave ok")).toHaveLength(1);
  });

  test("a store that cannot be used breaks no search, and is complained of once", async () => {
    await using stage = new SearchStage({ brave: captcha, bing: found(...urls("a")) });
    const search = stage.open("/dev/null/s.db");
    expect(states(await search.search(query, patient))).toEqual([
      "brave blocked captcha",
      "bing ok",
    ]);
    const next = await search.search({ query: "kestrel nest" }, patient);
    expect(states(next)).toEqual(["brave suspended 60 min: blocked (captcha)", "bing ok"]);
    expect(stage.warnings).toHaveLength(1);
  });
});

test("report() asks the bench too", async () => {
  await using stage = new SearchStage(
    { brave: found("https://a.example/python"), hackernews: { state: "no_results" } },
    { bench: [plainEngine("hackernews")] },
  );
  expect(states(await stage.open().report(patient))).toEqual(["brave ok", "hackernews no_results"]);
});

test("a poisoned engine is dropped and left alone", async () => {
  await using stage = new SearchStage({
    bing: {
      state: "ok",
      results: [{ title: "Weather", url: "https://w.example/", snippet: "Sun" }],
    },
    brave: found(...urls("a")),
  });
  const reply = await stage.open().search(query, patient);
  expect([states(reply), reply.found]).toEqual([
    ["bing poisoned 1 unrelated results dropped", "brave ok"],
    1,
  ]);
  expect(states(await stage.open().search(query, patient))[0]).toBe(
    "bing suspended 10 min: poisoned (1 unrelated results dropped)",
  );
});

test("words that two indexes have corrected are no poison; two fronts of one index prove nothing", async () => {
  const corrected: Play = {
    state: "ok",
    results: [{ title: "Falcons", url: "https://falcons.example/", snippet: "" }],
  };
  const engines = [
    plainEngine("duckduckgo", { provider: "bing" }),
    plainEngine("bing", { provider: "bing" }),
    plainEngine("brave"),
  ];
  await using stage = new SearchStage(
    { duckduckgo: corrected, bing: corrected, brave: corrected },
    { engines },
  );
  const reply = await stage.open().search({ query: "falkons" }, patient);
  expect(states(reply)).toEqual(["duckduckgo ok", "bing ok", "brave ok"]);
  expect(reply.results.map(({ engines: by }) => by)).toEqual([["duckduckgo", "brave", "bing"]]);

  stage.plays["brave"] = { state: "no_results" };
  const alone = await stage.open().search({ query: "falkons" }, patient);
  expect(states(alone).map((state) => state.split(" ").slice(0, 2).join(" "))).toEqual([
    "duckduckgo poisoned",
    "bing poisoned",
    "brave no_results",
  ]);
});

test("a search that is under way when everything ends is cancelled, and leaves the probe to others", async () => {
  await using stage = new SearchStage({ brave: captcha, mojeek: found(...urls("a")) });
  await stage.open().search(query, patient);
  stage.nowMs += 3_600_000;
  const begun = Promise.withResolvers<void>();
  stage.plays["brave"] = () => {
    begun.resolve();
    return new Promise<Response>(() => {});
  };
  const ending = stage.open();
  const reply = ending.search(query, patient);
  await begun.promise;
  await ending[Symbol.asyncDispose]();
  expect(reply).rejects.toMatchObject({ code: "cancelled" });
  stage.plays["brave"] = found(...urls("b"));
  expect(states(await stage.open().search(query, patient))).toEqual(["brave ok", "mojeek ok"]);
});
