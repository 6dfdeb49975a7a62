import { describe, expect, test } from "bun:test";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { product } from "../../../src/base/product.ts";
import { PageHarness } from "./page-harness.ts";

const mib = 1024 * 1024;
const html = { "Content-Type": "text/html; charset=utf-8" };

describe("PageLoader: what a page is", () => {
  test("everything that is known of it, and what it was asked with", async () => {
    let asked: Record<string, string> = {};
    await using harness = new PageHarness((request) => {
      asked = Object.fromEntries(request.headers);
      return new Response("<title>Ä</title>", { headers: html });
    });
    expect(await harness.page("/a?b=c#part")).toEqual({
      url: `${harness.origin}/a?b=c#part`,
      finalUrl: `${harness.origin}/a?b=c#part`,
      status: 200,
      contentType: "text/html",
      body: { kind: "text", text: "<title>Ä</title>" },
      via: "fetch",
      isCached: false,
      notes: [],
    });
    expect(asked).toMatchObject({
      host: new URL(harness.origin).host,
      accept: "text/markdown;q=1, text/html;q=.9, application/json;q=.8, */*;q=.5",
      "user-agent": `Mozilla/5.0 (compatible; scorpiox-code/${product.version})`,
    });
    expect(asked).not.toHaveProperty("cookie");
    expect(harness.hits).toEqual(["/a?b=c"]);
  });

  test.each([400, 401, 403, 404, 410, 451, 500, 502])(
    "a page with status %i is a page",
    async (status) => {
      await using harness = new PageHarness(
        () => new Response("<p>why", { status, headers: html }),
      );
      expect(await harness.page("/")).toMatchObject({
        status,
        contentType: "text/html",
        body: { kind: "text", text: "<p>why" },
        notes: [],
      });
    },
  );

  test.each([
    [204, "The server answered 204, which has no content."],
    [205, "The server answered 205, which has no content."],
    [304, "The server answered 304, which has no content."],
  ])("status %i has no body and says so", async (status, note) => {
    await using harness = new PageHarness(() => new Response(null, { status }));
    expect(await harness.page("/")).toMatchObject({
      status,
      body: { kind: "text", text: "" },
      notes: [note],
    });
  });

  test.each([
    [429, { "Retry-After": "120" }, "The server asks clients to try again after 120 s."],
    [
      503,
      { "Retry-After": "Wed, 21 Oct 2037 07:28:00 GMT" },
      "The server asks clients to try again after 2037-10-21T07:28:00.000Z.",
    ],
    [429, { "Retry-After": "soon" }, undefined],
    [200, { "Retry-After": "5" }, undefined],
    [
      200,
      { "Content-Disposition": 'attachment; filename="a b.html"' },
      'The server offers this as a file to save called "a b.html".',
    ],
    [
      200,
      { "Content-Disposition": "attachment; filename=x.txt; filename*=UTF-8''%e2%82%ac%20r.txt" },
      'The server offers this as a file to save called "€ r.txt".',
    ],
    [
      200,
      { "Content-Disposition": 'attachment; filename="../../etc/pass\\"wd"' },
      'The server offers this as a file to save called "pass\\"wd".',
    ],
    [200, { "Content-Disposition": "attachment" }, "The server offers this as a file to save."],
    [
      200,
      { "X-Robots-Tag": "otherbot: NoIndex, noai, noindex" },
      "The server asks robots: noindex, noai. The page was read because its URL was requested directly.",
    ],
    [200, { "X-Robots-Tag": "all, max-snippet:20" }, undefined],
    [200, { "Content-Disposition": "inline; filename=x.html" }, undefined],
  ] as [number, Record<string, string>, string | undefined][])(
    "status %i with %j is noted as %p",
    async (status, headers, note) => {
      await using harness = new PageHarness(
        () => new Response("text", { status, headers: { ...html, ...headers } }),
      );
      expect((await harness.page("/")).notes).toEqual(note === undefined ? [] : [note]);
    },
  );

  test("an empty body is an empty text", async () => {
    await using harness = new PageHarness(() => new Response("", { headers: html }));
    expect(await harness.page("/")).toMatchObject({
      contentType: "text/html",
      body: { kind: "text", text: "" },
      notes: [],
    });
  });

  test("a PDF is bytes, and what is of no use is only its size", async () => {
    const pdf = Buffer.from("%PDF-1.7\n\x00\x01\xff binary");
    const zip = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(5000)]);
    await using harness = new PageHarness((_, { pathname }) =>
      pathname === "/pdf"
        ? new Response(pdf, { headers: { "Content-Type": "application/octet-stream" } })
        : new Response(zip, { headers: { "Content-Type": "application/octet-stream" } }),
    );
    expect(await harness.page("/pdf")).toMatchObject({
      contentType: "application/pdf",
      body: { kind: "bytes", base64: pdf.toString("base64") },
    });
    expect(await harness.page("/zip")).toMatchObject({
      contentType: "application/zip",
      body: { kind: "none", bytes: 5004 },
    });
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const)("a body in %s is unpacked", async (encoding, pack) => {
    const text = "<p>packed ".repeat(1000);
    await using harness = new PageHarness(
      () => new Response(pack(text), { headers: { ...html, "Content-Encoding": encoding } }),
    );
    expect(await harness.text("/")).toBe(text);
  });
});

describe("PageLoader: what is too large", () => {
  const note = "The page is larger than 10 MiB: only its beginning was read.";
  const filled = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(size).fill(0x61);

  const streamOf = (bytes: Uint8Array): ReadableStream =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });

  test.each([
    [10 * mib - 1, []],
    [10 * mib, []],
    [10 * mib + 1, [note]],
  ])("a text of %i bytes has the notes %j", async (size, notes) => {
    await using harness = new PageHarness(() => new Response(filled(size), { headers: html }));
    const page = await harness.page("/");
    expect(page.notes).toEqual(notes);
    expect(page.body).toMatchObject({ kind: "text" });
    expect(page.body.kind === "text" && page.body.text.length).toBe(Math.min(size, 10 * mib));
  });

  test("U-ssrf: a bomb in gzip ends at the cap", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * mib, "a"), { level: 1 });
    await using harness = new PageHarness(
      () => new Response(bomb, { headers: { ...html, "Content-Encoding": "gzip" } }),
    );
    const page = await harness.page("/");
    expect(page.notes).toEqual([note]);
    expect(page.body.kind === "text" && page.body.text.length).toBe(10 * mib);
  });

  test("U-ssrf: a page without end is left at the cap", async () => {
    let sent = 0;
    const ended = Promise.withResolvers<void>();
    const block = filled(256 * 1024);
    await using harness = new PageHarness(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              sent += block.length;
              controller.enqueue(block);
            },
            cancel: () => ended.resolve(),
          }),
          { headers: html },
        ),
    );
    expect((await harness.page("/")).notes).toEqual([note]);
    await ended.promise;
    expect(sent).toBeGreaterThan(10 * mib);
  });

  test("a document above the cap is refused, whether its size is told or not", async () => {
    const pdf = filled(11 * mib);
    pdf.set(Buffer.from("%PDF-1.7"));
    await using harness = new PageHarness((_, { pathname }) => {
      const headers = { "Content-Type": "application/pdf" };
      return new Response(pathname === "/told" ? pdf : streamOf(pdf), { headers });
    });
    const start = "The document is larger than the limit of 10 MiB.";
    expect(await harness.failure("/told")).toEqual({
      code: "limit",
      message: `${start} It has 11,534,336 bytes. Download it with Bash.`,
    });
    expect(await harness.failure("/untold")).toEqual({
      code: "limit",
      message: `${start} Download it with Bash.`,
    });
  });
});
