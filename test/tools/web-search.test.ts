import { describe, expect, test } from "bun:test";

import { webSearch } from "../../src/tools/web-search.ts";
import type { EngineStatus, SearchReply } from "../../src/web/search/search-reply.ts";
import { fakeContext } from "./fake-context.ts";

const replyOf = (...states: EngineStatus[]): SearchReply => ({
  query: "kestrel",
  results: states.includes("ok")
    ? [
        {
          rank: 1,
          title: "Kestrel",
          url: "https://a.org/",
          snippet: "",
          engines: ["brave"],
          score: 0.1,
        },
      ]
    : [],
  found: 1,
  engines: states.map((status, index) => ({ name: `e${index}`, status, count: 0, ms: 1 })),
  elapsedMs: 10,
  cached: false,
  partial: true,
});

function contextWith(reply: SearchReply): ReturnType<typeof fakeContext> {
  const { web } = fakeContext();
  return fakeContext({ web: { ...web, search: () => Promise.resolve(reply) } });
}

describe("WebSearch", () => {
  test.each([
    [["ok", "blocked"], false, /untrusted data from the web/],
    [["no_results", "timeout"], false, /^No results for "kestrel" \(1 of 2 engines answered/],
    [
      ["blocked", "timeout", "error", "suspended", "parse_error", "poisoned", "rate_limited"],
      true,
      /^No search engine answered .* does not mean that there is nothing to find/,
    ],
  ] as const)("%j: failed %p", async (states, isError, said) => {
    const reply = replyOf(...states);
    const output = await webSearch.handler({ query: "kestrel" }, contextWith(reply));
    expect(output.isError).toBe(isError);
    const { found: _, ...structured } = reply;
    const { notes, ...data } = output.structured ?? {};
    expect<object>(data).toEqual(structured);
    // Many clients show their model the data alone.
    expect(notes?.[0]).toMatch(said);
    if (states[0] !== "ok") expect(output.text).toContain(notes?.[0] ?? "?");
    expect(webSearch.output?.safeParse(output.structured).success).toBe(true);
  });

  test.each(["", "  ", "\n\u200b", "\u{e0041}"])("the query %j is a bad argument", (query) => {
    expect(webSearch.input.safeParse({ query }).success).toBe(false);
  });
});
