import { expect, test } from "bun:test";

import { OwnPages } from "../../src/web/web.ts";
import type { LoadedPage, RenderPageRequest } from "../../src/web/pages/page-url.ts";
import { never, PageHarness } from "./pages/page-harness.ts";

interface Stage extends AsyncDisposable {
  readonly harness: PageHarness;
  readonly rendered: string[];
  readonly pages: OwnPages;
}

function stageOf(sharesFetched: boolean): Stage {
  const harness = new PageHarness((_request, { pathname, origin }) => {
    if (pathname === "/way") return Response.redirect(`${origin}/end`);
    const headers = headersOf[pathname] ?? {};
    return new Response(`text of ${pathname}`, { headers });
  });
  const rendered: string[] = [];
  const render = ({ url }: RenderPageRequest): Promise<LoadedPage> => {
    rendered.push(new URL(url).pathname);
    const body = { kind: "text", text: "rendered" } as const;
    const page = { url, finalUrl: url, status: 200, contentType: "text/html", body };
    return Promise.resolve({ ...page, via: "browser", isCached: false, notes: [] });
  };
  const { guard, cache } = harness;
  const pages = new OwnPages({ guard, renderer: { render }, sharesFetched, cache });
  return {
    harness,
    rendered,
    pages,
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

const headersOf: Readonly<Record<string, Record<string, string>>> = {
  "/private": { "cache-control": "private, max-age=60" },
  "/cookie": { "set-cookie": "a=b" },
  "/no-store": { "cache-control": "no-store" },
};

test.each([
  // What is asked for, without sharing and with it.
  ["/plain", ["/plain", "/plain"], ["/plain"]],
  ["/way", ["/way", "/end", "/way", "/end"], ["/way", "/end"]],
  ["/private", ["/private", "/private"], ["/private", "/private", "/private", "/private"]],
  ["/cookie", ["/cookie", "/cookie"], ["/cookie", "/cookie", "/cookie", "/cookie"]],
])("two principals ask twice for %s", async (path, apart, shared) => {
  for (const [sharesFetched, expected] of [
    [false, apart],
    [true, shared],
  ] as const) {
    await using stage = stageOf(sharesFetched);
    const url = stage.harness.origin + path;
    const isCached: boolean[] = [];
    for (const cacheOwner of ["a", "a", "b", "b"]) {
      isCached.push((await stage.pages.fetchPage({ url, cacheOwner }, never)).isCached);
    }
    expect(stage.harness.hits).toEqual([...expected]);
    // The second principal is told nothing of the first one's.
    if (!sharesFetched) expect(isCached).toEqual([false, true, false, true]);
  }
});

test("an address with a password is nobody else's, and neither is a page in the browser", async () => {
  await using stage = stageOf(true);
  const { harness, pages, rendered } = stage;
  const url = `${harness.origin}/plain`;
  const withPassword = url.replace("http://", "http://me:secret@");
  for (const cacheOwner of ["a", "b"]) {
    await pages.fetchPage({ url: withPassword, cacheOwner }, never).catch(() => undefined);
    await pages.renderPage({ url, cacheOwner, waitMs: 0 }, never);
    await pages.renderPage({ url, cacheOwner, waitMs: 0 }, never);
  }
  expect(rendered).toEqual(["/plain", "/plain"]);
  expect(harness.hits.filter((hit) => hit === "/plain").length).not.toBe(1);
});

test("a page that its server lets nobody keep is not kept of the browser either", async () => {
  for (const sharesFetched of [false, true]) {
    await using stage = stageOf(sharesFetched);
    const request = { url: `${stage.harness.origin}/no-store`, cacheOwner: "a" };
    await stage.pages.fetchPage(request, never);
    await stage.pages.renderPage({ ...request, waitMs: 0 }, never);
    await stage.pages.renderPage({ ...request, waitMs: 0 }, never);
    expect(stage.rendered).toEqual(["/no-store", "/no-store"]);
  }
});

test("two principals who ask at the same time ask twice", async () => {
  await using stage = stageOf(false);
  const url = `${stage.harness.origin}/plain`;
  const ask = (cacheOwner: string): Promise<LoadedPage> =>
    stage.pages.fetchPage({ url, cacheOwner }, never);
  await Promise.all([ask("a"), ask("a"), ask("b")]);
  expect(stage.harness.hits).toEqual(["/plain", "/plain"]);
});
