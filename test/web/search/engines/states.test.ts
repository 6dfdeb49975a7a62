import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type EngineAnswer,
  type EngineResponse,
  engineIds,
} from "../../../../src/web/search/engine.ts";
import type { EngineId } from "../../../../src/web/search/engine.ts";
import { fixture, readText } from "./read-fixture.ts";

type Row = readonly [EngineId, string, Partial<EngineResponse>, EngineAnswer];

const captcha: EngineAnswer = { state: "blocked", cause: "challenge", detail: "captcha" };
const cloudflare: EngineAnswer = { state: "blocked", cause: "challenge", detail: "cloudflare" };
const script: EngineAnswer = { state: "blocked", cause: "challenge", detail: "javascript" };
const consent: EngineAnswer = { state: "blocked", cause: "denied", detail: "consent" };
const denied = (detail: string): EngineAnswer => ({ state: "blocked", cause: "denied", detail });
const limited = (detail: string, retryAfterMs?: number): EngineAnswer => ({
  state: "rate_limited",
  detail,
  retryAfterMs,
});
const nothing: EngineAnswer = { state: "no_results" };
const markup: EngineAnswer = {
  state: "parse_error",
  detail: "no results and no sign of why: the markup may have changed",
};
const shape: EngineAnswer = {
  state: "parse_error",
  detail: "JSON of another shape than expected",
};

/** What each engine says in its own way. */
const rows: readonly Row[] = [
  ["duckduckgo", "no-results.html", {}, nothing],
  ["duckduckgo", "anomaly.html", { status: 202 }, captcha],
  ["duckduckgo", "anomaly.html", {}, captcha],
  ["duckduckgo", "anomaly.html", { status: 403 }, captcha],
  ["duckduckgo", "changed.html", { status: 202 }, captcha],
  ["duckduckgo", "changed.html", {}, markup],
  ["brave", "no-results.html", {}, nothing],
  ["brave", "proof-of-work.html", {}, captcha],
  ["brave", "proof-of-work.html", { status: 429 }, captcha],
  ["brave", "no-results-class.html", {}, nothing],
  ["brave", "changed-with-snippets.html", {}, markup],
  ["brave", "changed.html", {}, markup],
  ["startpage", "no-results.html", {}, nothing],
  ["startpage", "no-results-html.html", {}, nothing],
  ["startpage", "captcha.html", {}, captcha],
  ["startpage", "home.html", { url: "https://www.startpage.com/sp/captcha?x=1" }, captcha],
  ["startpage", "home-without-token.html", {}, denied("home page without sc")],
  ["startpage", "changed.html", {}, markup],
  ["yahoo", "no-results.html", {}, nothing],
  ["yahoo", "consent.html", {}, consent],
  ["yahoo", "consent-other.html", {}, consent],
  ["yahoo", "results.html", { url: "https://consent.yahoo.com/v2/collectConsent" }, consent],
  ["yahoo", "results.html", { url: "https://guce.yahoo.com/consent" }, consent],
  ["yahoo", "results.html", { status: 999 }, limited("HTTP 999")],
  [
    "yahoo",
    "results.html",
    { status: 500, headers: { "retry-after": "7" } },
    limited("HTTP 500", 7_000),
  ],
  ["yahoo", "throttled.html", {}, limited("error 999")],
  ["yahoo", "changed.html", {}, markup],
  ["bing", "no-results.html", {}, nothing],
  ["bing", "feed-empty.html", {}, nothing],
  ["bing", "captcha.html", {}, captcha],
  ["bing", "changed.html", {}, markup],
  ["mojeek", "no-results.html", {}, nothing],
  ["mojeek", "no-results-class.html", {}, nothing],
  ["mojeek", "captcha.html", {}, captcha],
  ["mojeek", "captcha.html", { status: 403 }, captcha],
  ["mojeek", "changed.html", {}, markup],
  ["google", "no-results.html", {}, nothing],
  ["google", "sorry.html", {}, captcha],
  ["google", "sorry.html", { status: 429 }, captcha],
  ["google", "sorry-link.html", {}, captcha],
  ["google", "sorry-script.html", {}, captcha],
  ["google", "changed.html", { url: "https://www.google.com/sorry/index?x=1" }, captcha],
  ["google", "changed.html", { url: "https://sorry.google.com/" }, captcha],
  ["google", "enable-script.html", {}, script],
  ["google", "consent.html", {}, consent],
  ["google", "changed.html", { url: "https://consent.google.com/ml" }, consent],
  ["google", "changed.html", {}, markup],
  ["yandex", "no-results.html", {}, nothing],
  ["yandex", "captcha.html", {}, captcha],
  ["yandex", "changed.html", { headers: { "x-yandex-captcha": "captcha" } }, captcha],
  ["yandex", "changed.html", { url: "https://yandex.com/showcaptcha?cc=1" }, captcha],
  ["yandex", "changed.html", {}, markup],
  ["qwant", "no-results.json", {}, nothing],
  ["qwant", "throttled.json", {}, limited("error_code 24")],
  ["qwant", "throttled-bare.json", {}, limited("error_code 24")],
  [
    "qwant",
    "throttled.json",
    { status: 429, headers: { "retry-after": "60" } },
    limited("error_code 24", 60_000),
  ],
  ["qwant", "captcha.json", { status: 403 }, captcha],
  ["qwant", "captcha-error.json", {}, captcha],
  ["qwant", "error.json", {}, { state: "error", detail: "error_code 22" }],
  ["qwant", "shell.html", {}, denied("service unavailable")],
  ["qwant", "changed.json", {}, shape],
  ["wikipedia", "no-results.json", {}, nothing],
  ["wikipedia", "throttled.json", {}, limited("error ratelimited")],
  ["wikipedia", "error.json", {}, { state: "error", detail: "error cirrussearch-backend-error" }],
  ["wikipedia", "changed.json", {}, shape],
  ["mwmbl", "no-results.json", {}, nothing],
  ["mwmbl", "changed.json", {}, shape],
  ["stackexchange", "no-results.json", {}, nothing],
  ["stackexchange", "throttled.json", { status: 400 }, limited("error_id 502", 1_234_000)],
  ["stackexchange", "denied.json", { status: 403 }, denied("denied, error_id 403")],
  ["stackexchange", "error.json", { status: 400 }, { state: "error", detail: "error_id 400" }],
  ["stackexchange", "changed.json", {}, shape],
  ["hackernews", "no-results.json", {}, nothing],
  ["hackernews", "changed.json", {}, shape],
  ["marginalia", "no-results.json", {}, nothing],
  ["marginalia", "throttled.txt", { status: 429 }, limited("QPM Limit Exceeded")],
  [
    "marginalia",
    "throttled.txt",
    { status: 429, headers: { "retry-after": "45" } },
    limited("QPM Limit Exceeded", 45_000),
  ],
  [
    "wikipedia",
    "throttled.json",
    { headers: { "retry-after": "5" } },
    limited("error ratelimited", 5_000),
  ],
  ["marginalia", "throttled.txt", {}, limited("QPM Limit Exceeded")],
  ["marginalia", "throttled.json", {}, limited("QPM Limit Exceeded")],
  ["marginalia", "changed.json", {}, shape],
  ["ecosia", "no-results.html", {}, nothing],
  ["ecosia", "turnstile.html", { status: 403 }, cloudflare],
  ["ecosia", "changed.html", {}, markup],
  ["baidu", "no-results.json", {}, nothing],
  ["baidu", "no-results.html", {}, nothing],
  ["baidu", "denied.json", {}, denied("denied, antiFlag")],
  ["baidu", "captcha.html", {}, captcha],
  ["baidu", "changed.json", { url: "https://wappass.baidu.com/static/captcha/" }, captcha],
  ["baidu", "changed.json", {}, shape],
  ["baidu", "changed.html", {}, markup],
  ["searxng", "no-results.json", {}, nothing],
  [
    "searxng",
    "no-results-unresponsive.json",
    {},
    { state: "no_results", detail: "unresponsive: google (timeout)" },
  ],
  [
    "searxng",
    "changed.json",
    { status: 403 },
    denied("HTTP 403: add json to search.formats in the instance's settings"),
  ],
  ["searxng", "changed.json", {}, shape],
];

/** Engines that say something of their own for a status. */
const ownAnswers: Readonly<Record<string, EngineAnswer>> = {
  "searxng 403": denied("HTTP 403: add json to search.formats in the instance's settings"),
  "yahoo 500": limited("HTTP 500"),
};

/** What any site may answer. */
const statusRows: readonly (readonly [number, string, Partial<EngineResponse>, EngineAnswer])[] = [
  [200, "any/cloudflare.html", {}, cloudflare],
  [403, "any/cloudflare.html", { headers: { server: "cloudflare" } }, cloudflare],
  [503, "any/cloudflare.html", { headers: { server: "cloudflare" } }, cloudflare],
  [503, "any/cloudflare-1020.html", {}, cloudflare],
  [503, "any/cloudflare-1020.txt", {}, cloudflare],
  [502, "any/cloudflare-measured.html", {}, { state: "error", detail: "HTTP 502" }],
  [503, "any/recaptcha.html", {}, captcha],
  [200, "any/recaptcha.html", {}, captcha],
  [200, "any/captcha.html", {}, captcha],
  [404, "any/captcha-in-style.html", {}, { state: "error", detail: "HTTP 404" }],
  [200, "any/forbidden.html", {}, denied("denied, HTTP 403")],
  [200, "any/too-many.html", {}, limited("HTTP 429")],
  [200, "any/bad-gateway.html", {}, { state: "error", detail: "HTTP 502" }],
  [401, "any/bad-gateway.html", {}, denied("denied, HTTP 401")],
  [402, "any/bad-gateway.html", {}, denied("denied, HTTP 402")],
  [403, "any/bad-gateway.html", {}, denied("denied, HTTP 403")],
  [404, "any/bad-gateway.html", {}, { state: "error", detail: "HTTP 404" }],
  [429, "any/bad-gateway.html", {}, limited("HTTP 429")],
  [
    429,
    "any/bad-gateway.html",
    { headers: { "retry-after": "120" } },
    limited("HTTP 429", 120_000),
  ],
  [
    429,
    "any/bad-gateway.html",
    {
      headers: {
        date: "Sat, 21 Nov 2026 22:00:00 GMT",
        "retry-after": "Sat, 21 Nov 2026 22:01:30 GMT",
      },
    },
    limited("HTTP 429", 90_000),
  ],
  [429, "any/bad-gateway.html", { headers: { "retry-after": "soon" } }, limited("HTTP 429")],
  [200, "any/captcha-title.html", {}, captcha],
  [200, "any/human-check.html", {}, captcha],
  [500, "any/bad-gateway.html", {}, { state: "error", detail: "HTTP 500" }],
  [502, "any/bad-gateway.html", {}, { state: "error", detail: "HTTP 502" }],
  [
    302,
    "any/bad-gateway.html",
    { headers: { location: "https://elsewhere.example/x" } },
    { state: "error", detail: "redirected to elsewhere.example" },
  ],
];

describe("states", () => {
  test.each(rows)("%s reads %s %j", async (id, file, response, expected) => {
    expect(await readText(id, fixture(`${id}/${file}`), response)).toEqual(expected);
  });

  test.each(statusRows)(
    "every engine reads HTTP %d with %s %j",
    async (status, file, response, expected) => {
      const url = "https://answer.example/";
      const read = (id: EngineId) => readText(id, fixture(file), { url, ...response, status });
      const answers = await Promise.all(engineIds.map(async (id) => [id, await read(id)]));
      const wanted = engineIds.map((id) => [id, ownAnswers[`${id} ${status}`] ?? expected]);
      expect(answers).toEqual(wanted);
    },
  );

  test("each engine has rows for all that it can say of an answer that came with 200", () => {
    const seen = new Map<EngineId, Set<string>>();
    for (const [id, , , { state }] of rows) seen.set(id, (seen.get(id) ?? new Set()).add(state));
    // An engine may have a file of its own instead.
    const lacking = engineIds.filter(
      (id) =>
        !existsSync(join(import.meta.dir, `${id}.test.ts`)) &&
        (!seen.get(id)?.has("no_results") || !seen.get(id)?.has("parse_error")),
    );
    expect(lacking).toEqual([]);
  });
});
