import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { GuardedRequest } from "../../../src/web/guard/network-guard.ts";
import type { LoadedPage } from "../../../src/web/pages/page-url.ts";
import { PageLoader } from "../../../src/web/pages/page-loader.ts";
import { until } from "../../commands/process/until.ts";
import { failureOf, never, PageHarness, RawServer, textOf } from "./page-harness.ts";

const head = (...lines: string[]): string => `HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n`;
const htmlHead = "Content-Type: text/html; charset=utf-8";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A loader whose own server is never asked, with little patience. */
function loaderWith(msMax = 30_000): PageHarness {
  return new PageHarness(() => new Response("unused"), { msMax });
}

/**
 * A loader and a server that ends the connection as soon as the first piece of its answer was read: what comes with the
 * end in one packet may never be seen.
 */
async function breakingOff(
  answer: string,
): Promise<{ server: RawServer; page: () => Promise<LoadedPage> } & AsyncDisposable> {
  const harness = loaderWith();
  let read = Promise.withResolvers<void>();
  const server = await RawServer.start((socket) => {
    socket.write(answer);
    void read.promise.then(() => socket.end());
  });
  const guard = {
    async fetch(request: GuardedRequest): Promise<Response> {
      read = Promise.withResolvers<void>();
      const response = await harness.guard.fetch(request);
      const reader = response.body?.getReader();
      const body = {
        getReader: () => ({
          cancel: () => reader?.cancel(),
          async read() {
            const next = await reader?.read();
            read.resolve();
            return next;
          },
        }),
      };
      return Object.defineProperty(response, "body", { value: body });
    },
  };
  const loader = new PageLoader({ guard, cache: harness.cache });
  return {
    server,
    page: () => loader.fetchPage({ url: server.url }, never),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
}

describe("servers that do not end what they began", () => {
  const partly: [string, string, string, RegExp][] = [
    [
      "a body shorter than its length",
      head(htmlHead, "Content-Length: 100") + "<p>begun",
      "<p>begun",
      /^The connection broke off after 8 bytes: the rest is missing\.$/,
    ],
    [
      "a chunk that breaks off",
      `${head(htmlHead, "Transfer-Encoding: chunked")}${chunk("<p>one")}ff\r\n<p>t`,
      "<p>one",
      /^The connection broke off after \d+ bytes: the rest is missing\.$/,
    ],
    [
      "chunks without an end",
      `${head(htmlHead, "Transfer-Encoding: chunked")}${chunk("<p>one")}`,
      "<p>one",
      /^The connection broke off after 6 bytes: the rest is missing\.$/,
    ],
  ];
  test.each(partly)(
    "%s: the beginning and a note, and nothing is kept",
    async (_, answer, text, note) => {
      await using broken = await breakingOff(answer);
      const page = await broken.page();
      expect(textOf(page)).toStartWith(text);
      expect(page.notes).toEqual([expect.stringMatching(note)]);
      expect((await broken.page()).isCached).toBe(false);
    },
  );

  test("a body without length that the connection ends is whole", async () => {
    await using harness = loaderWith();
    await using server = await RawServer.start((socket) =>
      socket.end(`${head(htmlHead, "Connection: close")}<p>all`),
    );
    expect(await harness.page(server.url)).toMatchObject({
      body: { kind: "text", text: "<p>all" },
      notes: [],
    });
  });

  test("a document that breaks off is a failure", async () => {
    await using broken = await breakingOff(
      `${head("Content-Type: application/pdf", "Content-Length: 100")}%PDF-1.7`,
    );
    expect(await failureOf(broken.page())).toEqual({
      code: "system",
      message: "The connection broke off after 8 bytes. Try again.",
    });
  });

  test("a body that breaks off before it began is a failure", async () => {
    await using harness = loaderWith();
    await using server = await RawServer.start((socket) =>
      socket.end(head(htmlHead, "Content-Length: 100")),
    );
    expect(await harness.failure(server.url)).toEqual({
      code: "system",
      message: "The connection broke off before any content arrived. Try again.",
    });
  });

  test("a body that is not compressed as it says is a failure", async () => {
    await using harness = loaderWith();
    const answer = head(htmlHead, "Content-Encoding: gzip", "Content-Length: 9") + "not gzip!";
    await using server = await RawServer.start((socket) => socket.end(answer));
    expect(await harness.failure(server.url)).toMatchObject({ code: "system" });
  });
});

describe("servers that let one wait", () => {
  test("a stalled body: what came by the deadline, with a note", async () => {
    await using harness = loaderWith(1_000);
    await using server = await RawServer.start((socket) => {
      socket.write(`${head(htmlHead, "Content-Length: 100")}<p>slow`);
    });
    const page = await harness.page(server.url);
    expect(textOf(page)).toBe("<p>slow");
    expect(page.notes).toEqual([
      "The server did not send the whole page in time: only the first 7 bytes arrived.",
    ]);
    await until(() => server.closed === 1);
  });

  test("a body that drips is left at the deadline", async () => {
    await using harness = loaderWith(1_000);
    const drip = (socket: Socket): void => {
      socket.write(head(htmlHead, "Transfer-Encoding: chunked"));
      const timer = setInterval(() => socket.write(chunk("x")), 20);
      socket.on("close", () => clearInterval(timer));
    };
    await using server = await RawServer.start(drip);
    const page = await harness.page(server.url);
    expect(textOf(page)).toMatch(/^x+$/);
    expect(page.notes).toEqual([expect.stringContaining("in time")]);
    await until(() => server.closed === 1);
  });

  const silent: [string, (socket: Socket) => void][] = [
    ["no head", () => {}],
    ["half a head", (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Ty")],
    [
      "a head that drips",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const timer = setInterval(() => socket.write("X-A: b\r\n"), 20);
        socket.on("close", () => clearInterval(timer));
      },
    ],
  ];
  test.each(silent)("%s: a failure at the deadline", async (_, answer) => {
    await using harness = loaderWith(300);
    await using server = await RawServer.start(answer);
    expect(await harness.failure(server.url)).toEqual({
      code: "limit",
      message: `127.0.0.1:${server.port} did not answer within 0.3 s.`,
    });
    await until(() => server.closed === 1);
  });

  test("a head and nothing more: a failure at the deadline", async () => {
    await using harness = loaderWith(300);
    await using server = await RawServer.start((socket) => {
      socket.write(head(htmlHead, "Content-Length: 100"));
    });
    expect(await harness.failure(server.url)).toMatchObject({ code: "limit" });
    await until(() => server.closed === 1);
  });

  test("redirects count against the same deadline", async () => {
    await using harness = new PageHarness(
      async (_, { pathname }) => {
        await Bun.sleep(60);
        const next = Number(pathname.slice(1)) + 1;
        return Response.redirect(`/${next}`, 302);
      },
      { msMax: 200 },
    );
    expect(await harness.failure("/1")).toMatchObject({ code: "limit" });
  });

  test("a call that is cancelled ends at once, its connection too", async () => {
    await using harness = loaderWith();
    const controller = new AbortController();
    await using server = await RawServer.start((socket) => {
      socket.write(`${head(htmlHead, "Content-Length: 100")}<p>begun`);
      setTimeout(() => controller.abort(), 20);
    });
    expect(await harness.failure(server.url, controller.signal)).toMatchObject({
      code: "cancelled",
    });
    await until(() => server.closed === 1);
    expect(await harness.failure(server.url, controller.signal)).toMatchObject({
      code: "cancelled",
    });
  });
});

describe("servers that speak something else", () => {
  const faults: [string, (socket: Socket) => void, RegExp][] = [
    ["closes at once", (socket) => socket.destroy(), /did not answer on port \d+/],
    [
      "resets the connection",
      (socket) => void socket.resetAndDestroy(),
      /did not answer on port \d+/,
    ],
    [
      "no HTTP",
      (socket) => void socket.end("220 mail.example ESMTP\r\n"),
      /did not answer on port \d+/,
    ],
    [
      "an endless head",
      (socket) => {
        const line = `X-Filler: ${"a".repeat(8000)}\r\n`;
        socket.write("HTTP/1.1 200 OK\r\n");
        const feed = (): void => {
          while (!socket.destroyed && socket.write(line));
          if (!socket.destroyed) socket.once("drain", feed);
        };
        feed();
      },
      /did not answer on port \d+/,
    ],
  ];
  test.each(faults)("%s: a failure that says so", async (_, answer, message) => {
    await using harness = loaderWith(10_000);
    await using server = await RawServer.start(answer);
    expect(await harness.failure(server.url)).toEqual({
      code: "system",
      message: expect.stringMatching(message),
    });
  });

  test("nobody listens", async () => {
    await using harness = loaderWith();
    const server = await RawServer.start(() => {});
    const { url } = server;
    await server[Symbol.asyncDispose]();
    expect(await harness.failure(url)).toMatchObject({
      code: "system",
      message: expect.stringContaining("the connection was refused"),
    });
  });

  test.skipIf(Bun.which("openssl") === null)("a certificate that nobody vouches for", async () => {
    const files = mkdtempSync(join(tmpdir(), "scorpiox-pages-"));
    const [cert, key] = [join(files, "cert.pem"), join(files, "key.pem")];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    const made = ["openssl", "req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert];
    expect(Bun.spawnSync(made).exitCode).toBe(0);
    let hits = 0;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      tls: { cert: Bun.file(cert), key: Bun.file(key) },
      fetch: () => new Response(`secret ${++hits}`),
    });
    await using harness = loaderWith();
    expect(await harness.failure(server.url.href)).toEqual({
      code: "system",
      message: expect.stringContaining("its certificate is self-signed"),
    });
    expect(hits).toBe(0);
    await server.stop(true);
    rmSync(files, { recursive: true });
  });

  test("https: where there is none", async () => {
    await using harness = loaderWith();
    await using server = await RawServer.start((socket) => void socket.end("not TLS"));
    const url = `https://127.0.0.1:${server.port}/`;
    expect(await failureOf(harness.loader.fetchPage({ url }, never))).toMatchObject({
      code: "system",
    });
  });
});
