import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import type { LoadedPage, RenderPageRequest } from "../../../src/web/pages/page-url.ts";
import { PageCache, RenderedPages } from "../../../src/web/pages/page-cache.ts";
import { until } from "../../commands/process/until.ts";
import { failureOf, never, PageHarness, textOf } from "./page-harness.ts";

const quarter = 15 * 60_000;

/** Answers with the number of the request, and with what the path asks for in headers. */
class CountingHarness extends PageHarness {
  constructor(
    headers: Record<string, string> = {},
    options: { status?: number; sizeMax?: number } = {},
  ) {
    let count = 0;
    const { status = 200, sizeMax } = options;
    super(
      (_, { pathname }) =>
        pathname.startsWith("/to/")
          ? Response.redirect(pathname.slice(3), 302)
          : new Response(`answer ${++count}`, {
              status,
              headers: { "Content-Type": "text/plain", ...headers },
            }),
      sizeMax === undefined ? {} : { sizeMax },
    );
  }

  /** Its text, and whether it came from the cache. */
  async look(target: string): Promise<string> {
    const page = await this.page(target);
    return `${textOf(page)}${page.isCached ? ", cached" : ""}`;
  }
}

describe("pages that were fetched before", () => {
  test("come without a request for a quarter of an hour", async () => {
    await using harness = new CountingHarness();
    const looks = [await harness.look("/a")];
    harness.now = quarter - 1;
    looks.push(await harness.look("/a"));
    harness.now = quarter;
    looks.push(await harness.look("/a"));
    expect(looks).toEqual(["answer 1", "answer 1, cached", "answer 2"]);
    expect(harness.hits).toEqual(["/a", "/a"]);
  });

  test("are told apart by query, and not by fragment", async () => {
    await using harness = new CountingHarness();
    await harness.page("/a#one");
    expect(await harness.look("/a?b")).toBe("answer 2");
    expect(await harness.page("/a#two")).toMatchObject({
      url: `${harness.origin}/a#two`,
      finalUrl: `${harness.origin}/a#two`,
      isCached: true,
      body: { text: "answer 1" },
    });
  });

  test("are found through the redirect that led to them, and by their own URL", async () => {
    await using harness = new CountingHarness();
    await harness.page("/to/a");
    expect(await harness.page("/to/a#part")).toMatchObject({
      url: `${harness.origin}/to/a#part`,
      finalUrl: `${harness.origin}/a#part`,
      isCached: true,
    });
    expect(await harness.look("/a")).toBe("answer 1, cached");
    expect(harness.hits).toEqual(["/to/a", "/a"]);
    harness.now = quarter;
    expect(await harness.look("/to/a")).toBe("answer 2");
    expect(harness.hits).toEqual(["/to/a", "/a", "/to/a", "/a"]);
  });

  test.each(["no-store", "private, no-store", "No-Store, max-age=0"])(
    "are not kept when the server says %j",
    async (value) => {
      await using harness = new CountingHarness({ "Cache-Control": value });
      expect([await harness.look("/a"), await harness.look("/a")]).toEqual([
        "answer 1",
        "answer 2",
      ]);
    },
  );

  test.each(["no-cache", "private", "max-age=0", "x-no-stores"])(
    "are kept when the server says %j: a reader who pages through one sees the same",
    async (value) => {
      await using harness = new CountingHarness({ "Cache-Control": value });
      await harness.look("/a");
      expect(await harness.look("/a")).toBe("answer 1, cached");
    },
  );

  test.each([400, 404, 429, 500, 503])("are not kept with status %i", async (status) => {
    await using harness = new CountingHarness({}, { status });
    expect([await harness.look("/a"), await harness.look("/a")]).toEqual(["answer 1", "answer 2"]);
  });

  test("are not kept when fetching them failed", async () => {
    let fails = true;
    await using harness = new PageHarness(() =>
      fails
        ? new Response("x", { status: 302, headers: { Location: "http://[" } })
        : new Response("ok"),
    );
    expect(await harness.failure("/")).toMatchObject({ code: "system" });
    fails = false;
    expect(await harness.text("/")).toBe("ok");
  });

  test("give way when there are too many, the one that was not asked for longest first", async () => {
    // Room for two of the three: each counts 1,024 besides its text.
    await using harness = new CountingHarness({}, { sizeMax: 3_000 });
    for (const path of ["/a", "/b", "/a", "/c"]) await harness.look(path);
    expect(await harness.look("/a")).toBe("answer 1, cached");
    expect(await harness.look("/b")).toBe("answer 4");
  });

  test("count twice when they have letters that need two bytes", async () => {
    // 1,024 and 1,000 characters: room for two of the first kind, for one of the second.
    await using harness = new PageHarness(
      (_, { pathname }) => new Response((pathname.startsWith("/wide") ? "€" : "a").repeat(1_000)),
      { sizeMax: 4_300 },
    );
    const keptOf = async (paths: readonly string[]): Promise<number> => {
      for (const path of paths) await harness.page(path);
      const again = await Promise.all(paths.map((path) => harness.page(path)));
      return again.filter(({ isCached }) => isCached).length;
    };
    expect(await keptOf(["/a", "/b"])).toBe(2);
    expect(await keptOf(["/wide/a"])).toBe(1);
    expect((await harness.page("/b")).isCached).toBe(false);
  });

  test("are not kept when one alone is too large, and the others stay", async () => {
    await using harness = new PageHarness(
      (_, { pathname }) => new Response(pathname === "/big" ? "x".repeat(5_000) : "small"),
      { sizeMax: 3_000 },
    );
    await harness.page("/small");
    await harness.page("/big");
    expect((await harness.page("/big")).isCached).toBe(false);
    expect((await harness.page("/small")).isCached).toBe(true);
  });
});

describe("pages that are too old", () => {
  /** Knows whether what the client has is still right. */
  function revisioned(headers: Record<string, string>): PageHarness & { revision: number } {
    const harness: PageHarness & { revision: number } = Object.assign(
      new PageHarness((request, { pathname }) => {
        if (pathname === "/to") return Response.redirect("/page", 302);
        const tag = `"${harness.revision}"`;
        asked.push(
          request.headers.get("if-none-match") ?? request.headers.get("if-modified-since"),
        );
        const isSame = request.headers.get("if-none-match") === tag;
        const since = request.headers.get("if-modified-since");
        if (isSame || (since !== null && harness.revision === 1)) {
          return new Response(null, { status: 304 });
        }
        const own = headers["ETag"] === undefined ? headers : { ...headers, ETag: tag };
        return new Response(`revision ${harness.revision}`, { headers: own });
      }),
      { revision: 1 },
    );
    return harness;
  }
  const asked: (string | null)[] = [];
  const modified = "Wed, 21 Oct 2015 07:28:00 GMT";

  test.each([
    ["ETag", { ETag: "made by the server" }, '"1"'],
    ["Last-Modified", { "Last-Modified": modified }, modified],
  ] as [string, Record<string, string>, string][])(
    "live on when the server says by %s that they are the same",
    async (_, headers, condition) => {
      asked.length = 0;
      await using harness = revisioned(headers);
      await harness.page("/page");
      harness.now = quarter;
      expect(await harness.page("/to")).toMatchObject({
        status: 200,
        finalUrl: `${harness.origin}/page`,
        body: { text: "revision 1" },
        isCached: true,
      });
      expect(asked).toEqual([null, condition]);
      harness.now = 2 * quarter - 1;
      expect((await harness.page("/page")).isCached).toBe(true);
      expect(asked).toHaveLength(2);
    },
  );

  test("are replaced when they have changed", async () => {
    await using harness = revisioned({ ETag: "x" });
    await harness.page("/page");
    harness.revision = 2;
    harness.now = quarter;
    expect(await harness.page("/page")).toMatchObject({
      body: { text: "revision 2" },
      isCached: false,
    });
  });

  test("are asked for without conditions when the server gave none", async () => {
    asked.length = 0;
    await using harness = revisioned({});
    await harness.page("/page");
    harness.now = quarter;
    expect((await harness.page("/page")).isCached).toBe(false);
    expect(asked).toEqual([null, null]);
  });
});

describe("the same page asked for at the same time", () => {
  /** Answers when it is let. */
  class GatedHarness extends PageHarness {
    readonly gate: PromiseWithResolvers<void>;
    readonly aborted: string[];

    constructor() {
      const gate = Promise.withResolvers<void>();
      const aborted: string[] = [];
      super(async (request, { pathname }) => {
        request.signal.addEventListener("abort", () => aborted.push(pathname));
        await gate.promise;
        return new Response("shared");
      });
      this.gate = gate;
      this.aborted = aborted;
    }
  }

  test("is one request; another page is another", async () => {
    await using harness = new GatedHarness();
    const calls = ["/a#1", "/a#2", "/b", "/a#3"].map((path) => harness.page(path));
    await until(() => harness.hits.length === 2);
    harness.gate.resolve();
    const pages = await Promise.all(calls);
    expect(harness.hits.toSorted()).toEqual(["/a", "/b"]);
    expect(pages.map(({ url }) => url)).toEqual(
      ["/a#1", "/a#2", "/b", "/a#3"].map((path) => harness.origin + path),
    );
  });

  test("waits for its turn when too many others load", async () => {
    let [open, openMax] = [0, 0];
    const gate = Promise.withResolvers<void>();
    await using harness = new PageHarness(
      async () => {
        openMax = Math.max(openMax, ++open);
        await gate.promise;
        open--;
        return new Response("turn");
      },
      { loadingMax: 2 },
    );
    const left = new AbortController();
    const pages = ["/a", "/b"].map((path) => harness.text(path));
    await until(() => harness.hits.length === 2);
    const given = harness.failure("/given-up", left.signal);
    pages.push(harness.text("/c"), harness.text("/d"));
    left.abort();
    expect(await given).toMatchObject({ code: "cancelled" });
    gate.resolve();
    expect(await Promise.all(pages)).toEqual(["turn", "turn", "turn", "turn"]);
    expect(openMax).toBe(2);
    expect(harness.hits).not.toContain("/given-up");
  });

  test("goes on for the others when one caller cancels, and ends with the last", async () => {
    await using harness = new GatedHarness();
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [harness.failure("/a", first.signal), harness.failure("/a", second.signal)];
    await until(() => harness.hits.length === 1);
    first.abort();
    expect(await calls[0]).toMatchObject({ code: "cancelled" });
    expect(harness.aborted).toEqual([]);
    second.abort();
    expect(await calls[1]).toMatchObject({ code: "cancelled" });
    await until(() => harness.aborted.length === 1);
  });

  test("reaches the others whole when one caller cancels", async () => {
    await using harness = new GatedHarness();
    const controller = new AbortController();
    const cancelled = harness.failure("/a", controller.signal);
    const other = harness.text("/a");
    await until(() => harness.hits.length === 1);
    controller.abort();
    await cancelled;
    harness.gate.resolve();
    expect(await other).toBe("shared");
    expect(harness.hits).toEqual(["/a"]);
  });
});

describe("RenderedPages", () => {
  class RenderHarness {
    readonly rendered: RenderPageRequest[] = [];
    now = 0;
    status = 200;
    readonly cache = new PageCache(undefined, () => this.now);
    readonly pages = new RenderedPages(
      {
        render: async (request) => {
          this.rendered.push(request);
          await Promise.resolve();
          return this.#page(request.url);
        },
      },
      this.cache,
    );

    async look(url: string, waitMs = 0): Promise<string> {
      const page = await this.pages.renderPage({ url, waitMs }, never);
      return `${textOf(page)}${page.isCached ? ", cached" : ""}`;
    }

    #page(url: string): LoadedPage {
      return {
        url,
        finalUrl: url,
        status: this.status,
        contentType: "text/html",
        body: { kind: "text", text: `rendering ${this.rendered.length}` },
        via: "browser",
        isCached: false,
        notes: [],
      };
    }
  }

  test("are kept by URL, fragment and wait, for a quarter of an hour", async () => {
    const harness = new RenderHarness();
    const urls: [string, number][] = [
      ["https://a.example/#/one", 0],
      ["https://a.example/#/one", 0],
      ["https://a.example/#/two", 0],
      ["https://a.example/#/one", 500],
    ];
    const looks: string[] = [];
    for (const [url, waitMs] of urls) looks.push(await harness.look(url, waitMs));
    harness.now = quarter;
    looks.push(await harness.look("https://a.example/#/one"));
    expect(looks).toEqual([
      "rendering 1",
      "rendering 1, cached",
      "rendering 2",
      "rendering 3",
      "rendering 4",
    ]);
  });

  test("are opened once for all who ask at the same time", async () => {
    const harness = new RenderHarness();
    const looks = await Promise.all([1, 2, 3].map(() => harness.look("https://a.example/")));
    expect(looks).toEqual(["rendering 1", "rendering 1", "rendering 1"]);
    expect(harness.rendered).toEqual([{ url: "https://a.example/", waitMs: 0 }]);
  });

  test("are not kept with a status of 400 and more", async () => {
    const harness = new RenderHarness();
    harness.status = 403;
    expect([
      await harness.look("https://a.example/"),
      await harness.look("https://a.example/"),
    ]).toEqual(["rendering 1", "rendering 2"]);
  });

  test.each(["file:///etc/passwd", "data:text/html,x", "chrome://version", "nothing", ""])(
    "%j reaches no browser",
    async (url) => {
      const harness = new RenderHarness();
      const failure = await failureOf(harness.pages.renderPage({ url, waitMs: 0 }, never));
      expect(failure).toMatchObject({ code: expect.stringMatching(/^(refused|usage)$/) });
      expect(harness.rendered).toEqual([]);
    },
  );

  test("are not kept when the fetch before was told not to keep anything", async () => {
    await using harness = new CountingHarness({ "Cache-Control": "no-store" });
    let count = 0;
    const pages = new RenderedPages(
      {
        render: async ({ url }) => {
          if (!url.startsWith(harness.origin)) throw new AppError("refused", url);
          return { ...(await harness.page(url)), via: "browser", notes: [`${++count}`] };
        },
      },
      harness.cache,
    );
    const url = `${harness.origin}/a`;
    await harness.page("/a");
    const notes = [1, 2].map(async () => (await pages.renderPage({ url, waitMs: 0 }, never)).notes);
    expect(await notes[0]).toEqual(["1"]);
    expect((await pages.renderPage({ url, waitMs: 0 }, never)).notes).toEqual(["2"]);
  });
});
