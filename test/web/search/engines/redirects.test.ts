import { describe, expect, test } from "bun:test";
import type { EngineId } from "../../../../src/web/search/engine.ts";
import { engineOf } from "../../../../src/web/search/engines/engines.ts";
import { judgeRedirect, rebaseUrl } from "../../../../src/web/search/ask-engine.ts";

/** `-> URL` when it is followed, else the answer. */
function verdictOf(id: EngineId, from: string, location: string, hops = 0): string {
  const verdict = judgeRedirect(engineOf(id), new URL(from), location, hops);
  if (verdict.kind === "follow") return `-> ${verdict.url.href}`;
  const { answer } = verdict;
  return "detail" in answer ? `${answer.state}: ${answer.detail}` : answer.state;
}

const local = "http://127.0.0.1:8080/search";

describe("judgeRedirect()", () => {
  test.each([
    [
      "brave",
      "https://search.brave.com/search",
      "/search?x=1",
      "-> https://search.brave.com/search?x=1",
    ],
    [
      "bing",
      "https://www.bing.com/search",
      "https://cn.bing.com/search",
      "-> https://cn.bing.com/search",
    ],
    [
      "bing",
      "https://www.bing.com/search",
      "https://notbing.com/",
      "error: redirected to notbing.com",
    ],
    [
      "bing",
      "https://www.bing.com/search",
      "https://bing.com.evil.example/",
      "error: redirected to bing.com.evil.example",
    ],
    [
      "duckduckgo",
      "https://html.duckduckgo.com/html/",
      "https://en.wikipedia.org/",
      "error: redirected to en.wikipedia.org",
    ],
    [
      "duckduckgo",
      "https://html.duckduckgo.com/html/",
      "http://duckduckgo.com/",
      "error: redirected to http://duckduckgo.com",
    ],
    [
      "duckduckgo",
      "https://html.duckduckgo.com/html/",
      "file:///etc/passwd",
      "error: redirected to file://",
    ],
    [
      "duckduckgo",
      "https://html.duckduckgo.com/html/",
      "https://[",
      "error: redirected to something that is not a URL",
    ],
    ["startpage", "https://www.startpage.com/sp/search", "/sp/captcha?x", "blocked: captcha"],
    ["startpage", local, "/sp/captcha", "blocked: captcha"],
    [
      "yahoo",
      "https://search.yahoo.com/search",
      "https://consent.yahoo.com/v2",
      "blocked: consent",
    ],
    [
      "yahoo",
      "https://search.yahoo.com/search",
      "https://guce.advertising.com/c",
      "blocked: consent",
    ],
    [
      "yahoo",
      "https://search.yahoo.com/search",
      "https://de.search.yahoo.com/s",
      "-> https://de.search.yahoo.com/s",
    ],
    ["google", "https://www.google.com/wml/search", "/sorry/index?q=1", "blocked: captcha"],
    [
      "google",
      "https://www.google.com/wml/search",
      "https://sorry.google.com/",
      "blocked: captcha",
    ],
    [
      "google",
      "https://www.google.com/wml/search",
      "https://consent.google.com/ml",
      "blocked: consent",
    ],
    [
      "google",
      "https://www.google.com/wml/search",
      "/httpservice/retry/enablejs",
      "blocked: javascript",
    ],
    [
      "google",
      "https://www.google.com/wml/search",
      "https://www.google.de/",
      "error: redirected to www.google.de",
    ],
    ["yandex", "https://yandex.com/search/site/", "/showcaptcha?retpath=x", "blocked: captcha"],
    [
      "baidu",
      "https://www.baidu.com/s",
      "https://wappass.baidu.com/static/captcha",
      "blocked: captcha",
    ],
    [
      "qwant",
      "https://api.qwant.com/v3/search/web",
      "https://geo.captcha-delivery.com/captcha/?cid=1",
      "blocked: captcha",
    ],
    ["mojeek", local, "/captcha?q=x", "blocked: captcha"],
    ["ecosia", local, "https://consent.ecosia.example/", "blocked: consent"],
    ["brave", local, "/search?q=captcha", "-> http://127.0.0.1:8080/search?q=captcha"],
    ["searxng", "http://127.0.0.1:8888/search", "/search/", "-> http://127.0.0.1:8888/search/"],
    [
      "searxng",
      "http://127.0.0.1:8888/search",
      "http://127.0.0.1:9999/",
      "error: redirected to 127.0.0.1:9999",
    ],
    ["brave", local, "/other", "-> http://127.0.0.1:8080/other"],
    ["brave", local, "https://search.brave.com/", "error: redirected to search.brave.com"],
  ] as const)("%s from %s to %s", (id, from, location, expected) => {
    expect(verdictOf(id, from, location)).toBe(expected);
  });

  test.each([
    [2, "-> http://127.0.0.1:8080/other"],
    [3, "error: more than 3 redirects"],
  ])("after %d redirects", (hops, expected) => {
    expect(verdictOf("brave", local, "/other", hops)).toBe(expected);
  });
});

describe("rebaseUrl()", () => {
  test.each([
    [
      "https://search.brave.com/search?q=a%26b",
      undefined,
      "https://search.brave.com/search?q=a%26b",
    ],
    [
      "https://search.brave.com/search?q=a%26b",
      "http://127.0.0.1:8080",
      "http://127.0.0.1:8080/search?q=a%26b",
    ],
    [
      "https://search.brave.com/search",
      "https://mirror.example/path?x=1",
      "https://mirror.example/search",
    ],
    [
      "https://search.brave.com//other.example/x",
      "http://[::1]:1",
      "http://[::1]:1//other.example/x",
    ],
  ])("%s at %s", (url, base, expected) => {
    expect(rebaseUrl(url, base).href).toBe(expected);
  });
});
