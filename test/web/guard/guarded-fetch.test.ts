import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGuard, type GuardOptions } from "../../../src/web/guard/create-guard.ts";
import { type GuardedRequest, type NetworkGuard } from "../../../src/web/guard/network-guard.ts";
import { RawServer, saying, until } from "./local-parts.ts";

/** Tells what it was asked; its hits are counted. */
let origin: ReturnType<typeof Bun.serve>;
let hits = 0;

beforeAll(() => {
  origin = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    async fetch(request) {
      hits++;
      const { pathname, search } = new URL(request.url);
      if (pathname === "/redirect") return Response.redirect("http://wiki.test/", 302);
      if (pathname === "/hang") await new Promise(() => undefined);
      return Response.json({
        method: request.method,
        host: request.headers.get("host"),
        path: pathname + search,
        agent: request.headers.get("user-agent"),
        body: await request.text(),
      });
    },
  });
});
afterAll(() => origin.stop(true));

const local = async (): Promise<string[]> => ["127.0.0.1"];

function guardOf(options: Partial<GuardOptions> = {}): NetworkGuard {
  return createGuard({ allowHosts: ["page.test"], proxyEnv: {}, resolve: local, ...options });
}

function ask(
  guard: NetworkGuard,
  url: string,
  more: Partial<GuardedRequest> = {},
): Promise<Response> {
  return guard.fetch({ url: new URL(url), signal: new AbortController().signal, ...more });
}

const failureOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("It did not fail.");
};

describe("fetch() of the guard", () => {
  test("dials the address that was resolved and sends everything as asked", async () => {
    await using guard = guardOf();
    const url = `http://page.test:${origin.port}/a/b?c=d%20e`;
    const headers = { "User-Agent": "reader", host: "elsewhere.test" };
    const response = await ask(guard, `${url}#part`, { method: "POST", body: "text", headers });
    expect(response.url).toBe(`${url}#part`);
    expect(await response.json()).toEqual({
      method: "POST",
      host: `page.test:${origin.port}`,
      path: "/a/b?c=d%20e",
      agent: "reader",
      body: "text",
    });
  });

  test("U-ssrf: follows no redirect, and the next hop does not have the allowance of another page", async () => {
    await using guard = guardOf({ allowHosts: ["page.test", "wiki.test"] });
    const pageUrl = new URL(`http://page.test:${origin.port}/redirect`);
    const before = hits;
    const response = await ask(guard, pageUrl.href);
    expect([response.status, response.headers.get("location"), hits - before]).toEqual([
      302,
      "http://wiki.test/",
      1,
    ]);
    const wiki = `http://wiki.test:${origin.port}/`;
    expect(await failureOf(ask(guard, wiki, { pageUrl }))).toMatchObject({
      code: "refused",
      message: expect.stringContaining('not for pages of "page.test"'),
    });
    expect((await ask(guard, wiki)).status).toBe(200);
    expect(hits - before).toBe(2);
  });

  test("U-ssrf: resolves once for each request, and judges again although a connection is open", async () => {
    let asked = 0;
    const answers = [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]];
    const resolve = async (): Promise<readonly string[]> => answers[asked++] ?? [];
    await using guard = guardOf({ allowHosts: [], resolve });
    const url = `http://rebind.test:${origin.port}/`;
    const before = hits;
    await (await ask(guard, url, { allowHosts: ["rebind.test"] })).text();
    expect([asked, hits - before]).toEqual([1, 1]);
    expect(await failureOf(ask(guard, url))).toMatchObject({ code: "refused" });
    expect([asked, hits - before]).toEqual([2, 1]);
  });

  /** The spellings of the security battery, and what else leads here. */
  test.each([
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://0.0.0.0:PORT/",
    "http://foo@127.0.0.1:PORT/",
    "http://localhost.:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://[::1]:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[64:ff9b::127.0.0.1]:PORT/",
    "http://a.localhost:PORT/",
    "http://ｌocalhost:PORT/",
    "http://rebound.test:PORT/",
    "https://127.0.0.1:PORT/",
    "http://user:secret@page.test:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://metadata.google.internal/",
    "http://[fe80::1]/",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:6379/_INFO",
    "file:///etc/passwd",
    "data:text/html,x",
    "javascript:alert(1)",
    "blob:http://page.test/x",
    "ws://page.test/",
    "http://page.test:25/",
  ])("U-ssrf: refuses %s", async (url) => {
    await using guard = guardOf();
    const before = hits;
    const failure = await failureOf(ask(guard, url.replace("PORT", String(origin.port))));
    expect(String(failure)).not.toContain("secret");
    expect(failure).toMatchObject({ code: "refused" });
    expect(hits).toBe(before);
  });

  test("a request's own hosts are open to it alone", async () => {
    await using guard = guardOf();
    const url = `http://127.0.0.1:${origin.port}/`;
    const response = await ask(guard, url, { allowHosts: [`127.0.0.1:${origin.port}`] });
    expect(response.status).toBe(200);
    expect(await failureOf(ask(guard, url))).toMatchObject({ code: "refused" });
  });

  test("of several addresses it takes one that answers, and finds another when that is gone", async () => {
    await using guard = guardOf({ resolve: async () => ["127.0.0.9", "127.0.0.1"] });
    await using here = await RawServer.start(saying("HTTP/1.1 204 No Content\r\n\r\n"));
    const url = `http://page.test:${here.port}/`;
    expect([(await ask(guard, url)).status, (await ask(guard, url)).status]).toEqual([204, 204]);
    // One connection found out that it answers; the second request went there at once.
    expect(here.accepted).toBe(3);
  });
});

describe("fetch() of the guard fails with a reason", () => {
  const big = `HTTP/1.1 200 OK\r\nX: ${"a".repeat(1024 * 1024)}`;

  test.each<[name: string, text: string, message: RegExp]>([
    ["garbage", "SSH-2.0-OpenSSH_9\r\n\r\n", /its response is not HTTP/],
    ["nothing", "", /closed before the answer/],
    ["a head without end", big, /its response headers are too large/],
  ])("when it hears %s", async (_name, text, message) => {
    await using server = await RawServer.start(saying(text));
    await using guard = guardOf();
    const failure = await failureOf(ask(guard, `http://page.test:${server.port}/`));
    expect(String(failure)).toStartWith('AppError: "page.test" did not answer');
    expect(String(failure)).toMatch(message);
    expect(String(failure)).not.toContain("127.0.0.1");
    expect(failure).toMatchObject({ code: "system" });
  });

  test("when nobody listens", async () => {
    let port = 0;
    {
      await using server = await RawServer.start(() => undefined);
      port = server.port;
    }
    await using guard = guardOf();
    expect(await failureOf(ask(guard, `http://page.test:${port}/`))).toMatchObject({
      code: "system",
      message: `"page.test" did not answer on port ${port}: the connection was refused.`,
    });
  });

  test("when the certificate is not trusted or TLS is not spoken", async () => {
    await using server = await RawServer.start(saying("HTTP/1.1 200 OK\r\n\r\n"));
    await using guard = guardOf();
    expect(await failureOf(ask(guard, `https://page.test:${server.port}/`))).toMatchObject({
      code: "system",
    });
  });

  test("when it is cancelled before, meanwhile, or by the end of the guard", async () => {
    const guard = guardOf();
    const url = `http://page.test:${origin.port}/hang`;
    const controller = new AbortController();
    const before = hits;
    const meanwhile = failureOf(ask(guard, url, { signal: controller.signal }));
    const ended = failureOf(ask(guard, url));
    await until(() => hits - before === 2);
    controller.abort(new Error("enough"));
    const late = failureOf(ask(guard, url, { signal: controller.signal }));
    expect([await meanwhile, await late]).toMatchObject([
      { code: "cancelled" },
      { code: "cancelled" },
    ]);
    await guard[Symbol.asyncDispose]();
    expect(await ended).toMatchObject({ code: "cancelled" });
    expect(await failureOf(ask(guard, url))).toMatchObject({ code: "cancelled" });
  });

  test("U-ssrf: an endless body is read as far as its reader wants", async () => {
    const chunk = Buffer.alloc(65_536, 97);
    let sent = 0;
    await using server = await RawServer.start((socket) => {
      const flood = (): void => {
        do sent += chunk.length;
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        flood();
      });
      socket.on("drain", flood);
    });
    await using guard = guardOf();
    const controller = new AbortController();
    const response = await ask(guard, `http://page.test:${server.port}/`, {
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    controller.abort();
    await reader?.cancel().catch(() => undefined);
    await until(() => server.sockets.size === 0);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });
});

describe("fetch() of the guard behind the user's proxy", () => {
  test("http goes there as a whole URL with the proxy's credentials", async () => {
    let heard = "";
    await using proxy = await RawServer.start((socket) => {
      socket.once("data", (data) => {
        heard = String(data);
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    });
    await using guard = guardOf({
      proxyEnv: { HTTP_PROXY: `http://me:pw@127.0.0.1:${proxy.port}` },
      resolve: async () => ["9.9.9.9"],
    });
    expect(await (await ask(guard, "http://docs.example/x")).text()).toBe("ok");
    expect(heard).toStartWith("GET http://docs.example/x HTTP/1.1\r\n");
    expect(heard).toContain(btoa("me:pw"));
  });

  test("https goes through CONNECT, and what fails there is told without the password", async () => {
    let heard = "";
    await using proxy = await RawServer.start((socket) => {
      socket.once("data", (data) => {
        heard = String(data);
        socket.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
      });
    });
    const proxyEnv = { HTTPS_PROXY: `http://me:pw@127.0.0.1:${proxy.port}` };
    await using guard = guardOf({ proxyEnv, resolve: async () => [] });
    expect(await failureOf(ask(guard, "https://docs.example/x"))).toMatchObject({
      code: "system",
      message:
        `"docs.example (through the proxy http://127.0.0.1:${proxy.port})" did not answer on port 443: ` +
        "the proxy refused to connect (check its address and its credentials).",
    });
    expect(heard).toStartWith("CONNECT docs.example:443 HTTP/1.1\r\n");
  });
});
