import { describe, expect, test } from "bun:test";

import type { AppError } from "../../../src/base/errors.ts";
import { followRedirects } from "../../../src/web/pages/follow-redirects.ts";
import { never, PageHarness, RawServer, textOf } from "./page-harness.ts";

const redirectTo = (location: string, status = 302): Response =>
  new Response("ignored", { status, headers: { Location: location } });

const page = (text: string): Response =>
  new Response(text, { headers: { "Content-Type": "text/plain" } });

/** Redirects as often as the path says, then answers. */
const chain = (_: Request, { pathname }: URL): Response => {
  const left = Number(pathname.slice(1));
  return left > 0 ? redirectTo(`/${left - 1}`) : page("end");
};

describe("followRedirects()", () => {
  test.each([301, 302, 303, 307, 308])("status %i is followed with GET", async (status) => {
    await using harness = new PageHarness((request, { pathname }) =>
      pathname === "/" ? redirectTo("/next", status) : page(request.method),
    );
    expect(await harness.page("/")).toMatchObject({
      url: `${harness.origin}/`,
      finalUrl: `${harness.origin}/next`,
      status: 200,
      body: { kind: "text", text: "GET" },
      notes: [],
    });
  });

  test.each([300, 304, 306])("status %i is a page", async (status) => {
    await using harness = new PageHarness(() =>
      status === 304
        ? new Response(null, { status, headers: { Location: "/next" } })
        : redirectTo("/next", status),
    );
    expect((await harness.page("/")).status).toBe(status);
  });

  test("a redirect without a target is a page", async () => {
    await using harness = new PageHarness(() => new Response("where?", { status: 302 }));
    expect(await harness.page("/")).toMatchObject({ status: 302, body: { text: "where?" } });
  });

  test.each([
    ["/a/b", "next?x", "/a/next?x"],
    ["/a/b", "../c", "/c"],
    ["/a/b", "?q", "/a/b?q"],
    ["/a/b", "//HOST/d", "/d"],
    ["/a/b", "http://HOST/e", "/e"],
    ["/a/b", "  /spaces  ", "/spaces"],
    ["/a/b#asked", "/c", "/c#asked"],
    ["/a/b#asked", "/c#set", "/c#set"],
  ])("%s redirected to %j ends at %s", async (from, location, to) => {
    let { origin }: { origin: string } = { origin: "" };
    await using harness = new PageHarness((_, { pathname, search }) =>
      pathname === "/a/b" && search === ""
        ? redirectTo(location.replace("HOST", new URL(origin).host))
        : page("end"),
    );
    ({ origin } = harness);
    expect((await harness.page(from)).finalUrl).toBe(origin + to);
  });

  test("a target in UTF-8, as some servers send it", async () => {
    await using harness = new PageHarness(() => page("unused"));
    await using server = await RawServer.start((socket) => {
      const target = `${harness.origin}/stra\u00dfe`;
      socket.end(
        `HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    });
    expect((await harness.page(server.url)).finalUrl).toBe(`${harness.origin}/stra%C3%9Fe`);
  });

  test.each([9, 10])("%i redirects are followed", async (count) => {
    await using harness = new PageHarness(chain);
    expect(await harness.text(`/${count}`)).toBe("end");
  });

  test("11 redirects are too many", async () => {
    await using harness = new PageHarness(chain);
    expect(await harness.failure("/11")).toEqual({
      code: "limit",
      message: `"${harness.origin}/11" redirects more than 10 times, finally to "${harness.origin}/0".`,
    });
    expect(harness.hits).toHaveLength(11);
  });

  test.each([
    ["itself", { "/": "/" }, "/", 1],
    ["itself with a fragment", { "/": "/#again" }, "/", 1],
    ["a page before", { "/": "/a", "/a": "/b", "/b": "/a" }, "/a", 3],
  ] as [string, Record<string, string>, string, number][])(
    "U-ssrf: a circle over %s ends when it closes",
    async (_, routes, closes, hits) => {
      await using harness = new PageHarness((__, { pathname }) =>
        redirectTo(routes[pathname] ?? ""),
      );
      expect(await harness.failure("/")).toEqual({
        code: "system",
        message:
          `The page redirects in a loop, to "${harness.origin}${closes}" again. ` +
          "Pages that first set a cookie do that: pass wait_ms to open it in a browser.",
      });
      expect(harness.hits).toHaveLength(hits);
    },
  );

  test.each([
    ["http://127.0.0.2/", "refused"],
    ["http://169.254.169.254/latest/meta-data/", "refused"],
    ["http://[::ffff:127.0.0.2]/", "refused"],
    ["http://0x7f000002/", "refused"],
    ["http://localhost:1/", "refused"],
    ["file:///etc/passwd", "refused"],
    ["data:text/html,x", "refused"],
    ["javascript:alert(1)", "refused"],
    ["http://user:secret@127.0.0.1/", "refused"],
    ["http://[", "system"],
  ])("U-ssrf: a redirect to %s is not followed", async (location, code) => {
    await using harness = new PageHarness(() => redirectTo(location));
    expect(await harness.failure("/")).toEqual({ code, message: expect.any(String) });
    expect(harness.hits).toEqual(["/"]);
  });

  test.each([
    [8_000, "end"],
    [8_200, "limit"],
  ])("a target of %i characters: %s", async (length, outcome) => {
    await using harness = new PageHarness((_, url) =>
      url.pathname === "/" ? redirectTo(`/${"x".repeat(length)}`) : page("end"),
    );
    const result = await harness.page("/").then(textOf, ({ code }: AppError) => code);
    expect(result).toBe(outcome);
  });

  test("the guard is told whose redirect it is; a step down from https: is noted", async () => {
    const asked: (string | undefined)[][] = [];
    const answers: Record<string, string> = {
      "https://a.example/": "http://b.example/",
      "http://b.example/": "https://b.example/",
    };
    const arrival = await followRedirects(new URL("https://a.example/"), {
      guard: {
        fetch({ url, pageUrl, method, headers }) {
          asked.push([url.href, pageUrl?.href, method, headers?.["X"]]);
          const location = answers[url.href];
          return Promise.resolve(location === undefined ? page("end") : redirectTo(location));
        },
      },
      headersFor: (url) => ({ X: url.host }),
      signal: never,
    });
    expect(asked).toEqual([
      ["https://a.example/", "https://a.example/", undefined, "a.example"],
      ["http://b.example/", "https://a.example/", undefined, "b.example"],
      ["https://b.example/", "https://a.example/", undefined, "b.example"],
    ]);
    expect({ url: arrival.url.href, notes: arrival.notes }).toEqual({
      url: "https://b.example/",
      notes: [
        "a.example redirects from https: to http:, so the page was not protected in transit.",
      ],
    });
  });
});
