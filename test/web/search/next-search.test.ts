import { describe, expect, test } from "bun:test";

import type { SearchReply } from "../../../src/web/search/search-reply.ts";
import { captcha, found } from "./plain-engine.ts";
import { patient, SearchStage } from "./search-stage.ts";
import type { Play } from "./search-stage.ts";

const stateOf = (reply: SearchReply, engine: string): string => {
  const { status, count, detail } = reply.engines.find(({ name }) => name === engine) ?? {};
  return [
    status,
    ...(status === "ok" ? [count] : []),
    ...(detail === undefined ? [] : [detail]),
  ].join(" ");
};

const one = found("https://a.example/kestrel");
const other = found("https://b.example/kestrel");

/** What an engine plays, what is said of it, and what the next search makes of it. */
const rows: [string, Play, string, string][] = [
  ["results", one, "ok 1", "ok 1"],
  ["nothing", { state: "no_results" }, "no_results", "no_results"],
  [
    "results and a wish to be left alone",
    { ...one, backoffMs: 30_000 } as Play,
    "ok 1",
    "suspended 30 s: asked for a pause",
  ],
  ["captcha", captcha, "blocked captcha", "suspended 60 min: blocked (captcha)"],
  [
    "denial",
    { state: "blocked", cause: "denied", detail: "HTTP 403" },
    "blocked HTTP 403",
    "suspended 3 min: blocked (HTTP 403)",
  ],
  [
    "throttle without a time",
    { state: "rate_limited", detail: "HTTP 429", retryAfterMs: undefined },
    "rate_limited HTTP 429",
    "suspended 3 min: rate limited (HTTP 429)",
  ],
  [
    "throttle for a day",
    { state: "rate_limited", detail: "HTTP 429", retryAfterMs: 86_400_000 },
    "rate_limited HTTP 429",
    "suspended 60 min: rate limited (HTTP 429)",
  ],
  ["changed markup", () => new Response("<p>"), "parse_error no JSON", "parse_error no JSON"],
  [
    "results without a title",
    { state: "ok", results: [{ title: "\u200b", url: "https://a.example/", snippet: "" }] },
    "parse_error no result has a title and an address",
    "parse_error no result has a title and an address",
  ],
  [
    "a broken server",
    () => new Response("?", { status: 502 }),
    "error HTTP 502",
    "suspended 5 s: error (HTTP 502)",
  ],
  [
    "a detail that is not to be seen, and long",
    { state: "parse_error", detail: `a\u202e${"b".repeat(300)}` },
    `parse_error a${"b".repeat(118)}…`,
    `parse_error a${"b".repeat(118)}…`,
  ],
];

test.each(rows)("%s: told, and followed by what it deserves", async (_, play, told, next) => {
  await using stage = new SearchStage({ brave: play, mojeek: other });
  const first = await stage.open().search({ query: "kestrel" }, patient);
  const second = await stage.open().search({ query: "kestrel" }, patient);
  expect([stateOf(first, "brave"), stateOf(second, "brave")]).toEqual([told, next]);
  expect(stage.count("brave")).toBe(next.startsWith("suspended") ? 1 : 2);
  expect(second.results.some(({ url }) => url === "https://b.example/kestrel")).toBe(true);
});

test("an engine that nobody serves is an error of the network", async () => {
  await using stage = new SearchStage({ brave: one, mojeek: other });
  // Of a server that has ended, so that nobody listens there.
  const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
  stage.baseUrls["brave"] = `http://127.0.0.1:${gone.port}`;
  await gone.stop(true);
  const first = await stage.open().search({ query: "kestrel" }, patient);
  expect(stateOf(first, "brave")).toMatch(/^error .*the connection was refused$/);
  const second = await stage.open().search({ query: "kestrel" }, patient);
  expect(stateOf(second, "brave")).toStartWith("suspended 5 s: error (");
});

describe("the pace", () => {
  test("DuckDuckGo is not asked again within five seconds, and nothing is held against it", async () => {
    const others = ["brave", "bing", "mojeek", "google", "yandex", "qwant", "mwmbl"] as const;
    const plays = others.map((id) => [
      id,
      found(`https://${id}.example/kestrel`, `https://${id}.example/falcon`),
    ]);
    await using stage = new SearchStage({ duckduckgo: one, ...Object.fromEntries(plays) });
    const search = stage.open();
    await search.search({ query: "kestrel" }, patient);
    const second = await search.search({ query: "kestrel nest" }, patient);
    expect([stateOf(second, "duckduckgo"), stateOf(second, "mojeek")]).toEqual([
      "rate_limited own pace",
      "ok 2",
    ]);
    expect(stage.count("duckduckgo")).toBe(1);
    const elsewhere = await stage.open().search({ query: "kestrel" }, patient);
    expect(stateOf(elsewhere, "duckduckgo")).toBe("ok 1");
  }, 60_000);

  test("an engine is asked one question at a time", async () => {
    let inFlight = 0;
    let inFlightMost = 0;
    const play: Play = async () => {
      inFlight += 1;
      inFlightMost = Math.max(inFlightMost, inFlight);
      await Bun.sleep(50);
      inFlight -= 1;
      return Response.json(one);
    };
    await using stage = new SearchStage({ brave: play });
    const search = stage.open();
    const queries = ["kestrel", "kestrel nest", "kestrel box"];
    const replies = await Promise.all(queries.map((query) => search.search({ query }, patient)));
    expect(inFlightMost).toBe(1);
    expect(replies.map((reply) => stateOf(reply, "brave"))).toEqual(["ok 1", "ok 1", "ok 1"]);
  }, 60_000);
});
