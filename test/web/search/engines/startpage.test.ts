import { describe, expect, test } from "bun:test";
import type { EngineRequest, EngineResponse } from "../../../../src/web/search/engine.ts";
import { startpage } from "../../../../src/web/search/engines/startpage.ts";
import { createTestMemory, fixture, queryOf } from "./read-fixture.ts";

const page = (file: string, status = 200): EngineResponse => ({
  status,
  url: "https://www.startpage.com/",
  headers: {},
  text: fixture(`startpage/${file}`),
});

const fieldsOf = (request: EngineRequest | undefined): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(request?.body));

describe("startpage", () => {
  test("asks for the home page, then searches with its token and keeps it", async () => {
    const memory = createTestMemory();
    const query = queryOf("tide pools", {}, memory);
    const request = startpage.start(query);
    const search = await startpage.next?.({ request, response: page("home.html") }, query);
    expect(`${search?.step} ${search?.method} ${search?.url}`).toBe(
      "search POST https://www.startpage.com/sp/search",
    );
    expect(search?.body).toBe(
      "query=tide+pools&cat=web&t=device&sc=k3Tq9Wm2Zx&abp=1&abd=1&abe=1&qsr=all&qadf=moderate&lui=english&language=english&with_date=",
    );
    expect(search?.headers).toMatchObject({
      Origin: "https://www.startpage.com",
      Referer: "https://www.startpage.com/",
      "Sec-Fetch-Site": "same-origin",
    });
    expect(memory.kept).toEqual({ sc: "k3Tq9Wm2Zx" });
  });

  test("finds the token in a form with a whole address, too", async () => {
    const query = queryOf("tide pools");
    const home = page("home.html");
    const text = home.text.replace('"/sp/search"', '"https://www.startpage.com/sp/search"');
    const response = { ...home, text };
    const search = await startpage.next?.({ request: startpage.start(query), response }, query);
    expect(fieldsOf(search)["sc"]).toBe("k3Tq9Wm2Zx");
  });

  test("searches at once with a token that it kept", () => {
    const query = queryOf("tide pools", {}, createTestMemory({ sc: "kept" }));
    expect(fieldsOf(startpage.start(query))["sc"]).toBe("kept");
  });

  test("posts the fields of an interstitial again, once", async () => {
    const query = queryOf("tide pools", {}, createTestMemory({ sc: "kept" }));
    const response = page("interstitial.html");
    const again = await startpage.next?.({ request: startpage.start(query), response }, query);
    expect(fieldsOf(again)).toEqual({
      query: "tide pools",
      cat: "web",
      sc: "k3Tq9Wm2Zx",
      sgt: "1763763763T5f0c",
      abp: "1",
    });
    expect(again && (await startpage.next?.({ request: again, response }, query))).toBeUndefined();
  });

  test.each([
    ["a home page without token", "home-without-token.html", 200],
    ["a home page that comes with an error", "home.html", 503],
  ])("%s is followed by nothing", async (_, file, status) => {
    const query = queryOf("tide pools");
    const exchange = { request: startpage.start(query), response: page(file, status) };
    expect(await startpage.next?.(exchange, query)).toBeUndefined();
  });

  test("whatever has no token in place of the home page is a block", async () => {
    expect(await startpage.read(page("changed.html"), queryOf("x"))).toEqual({
      state: "blocked",
      cause: "denied",
      detail: "home page without sc",
    });
  });

  test("a token is forgotten when its search is refused", async () => {
    const memory = createTestMemory({ sc: "stale" });
    await startpage.read(page("captcha.html"), queryOf("x", {}, memory));
    expect(memory.kept).toEqual({});
  });

  test("a token is kept when its search finds nothing", async () => {
    const memory = createTestMemory({ sc: "good" });
    await startpage.read(page("no-results.html"), queryOf("x", {}, memory));
    expect(memory.kept).toEqual({ sc: "good" });
  });
});
