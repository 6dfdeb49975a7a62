import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../src/base/errors.ts";
import { RequestGuard } from "../../../../src/server/transport/http/request-guard.ts";

const allowedHosts = ["mcp.example", "Proxy.Example:8443", "fd00::1"];
const allowedOrigins = ["https://app.example", "http://10.0.0.5:3000/", "vscode-webview://abc"];
const guard = new RequestGuard({ allowedHosts, allowedOrigins });
const closedGuard = new RequestGuard({ allowedHosts: [], allowedOrigins: [] });

function head(headers: Record<string, string>): { headers: Headers } {
  return { headers: new Headers({ host: "localhost:3000", ...headers }) };
}

async function bodyOf(response: Response | undefined): Promise<unknown> {
  return response === undefined
    ? undefined
    : { status: response.status, body: await response.json() };
}

function refusal(header: string, value: string, flag: string): unknown {
  const message = `Invalid request: ${header} ${JSON.stringify(value)} is not allowed here; ${flag} of the server allows it`;
  return { status: 403, body: { jsonrpc: "2.0", error: { code: -32600, message } } };
}

describe("RequestGuard.check(), Host", () => {
  test.each([
    "localhost",
    "localhost:3000",
    "LOCALHOST:1",
    "127.0.0.1",
    "127.0.0.1:65535",
    "[::1]",
    "[::1]:3000",
    "mcp.example",
    "mcp.example:9",
    "proxy.example:8443",
    "[fd00::1]:1",
  ])("passes %s", (host) => {
    expect(guard.check(head({ host }))).toBeUndefined();
  });

  test.each([
    "",
    "evil.example",
    "evil.example:3000",
    "localhost.evil.example",
    "evil.localhost",
    "127.0.0.1.nip.io",
    "127.0.0.2",
    "127.1",
    "0x7f000001",
    "0.0.0.0",
    "::1",
    "[::1",
    "[::1]x",
    "localhost:",
    "localhost:abc",
    "localhost:123456",
    "localhost:80:80",
    "localhost, evil.example",
    "localhost evil.example",
    "user@localhost",
    "localhost/",
    "localhost.",
    "proxy.example",
    "proxy.example:8444",
  ])("H03: refuses %p", async (host) => {
    expect(await bodyOf(guard.check(head({ host })))).toEqual(
      refusal("Host", host, "--allow-host"),
    );
  });

  test("refuses a request without Host", async () => {
    expect(await bodyOf(guard.check({ headers: new Headers() }))).toEqual(
      refusal("Host", "", "--allow-host"),
    );
  });

  test.each(["", "*", "http://a.example", "a.example/path", "a b", "a.example:", "[::1"])(
    "a configuration with %p is refused",
    (entry) => {
      expect(() => new RequestGuard({ allowedHosts: [entry], allowedOrigins: [] })).toThrow(
        AppError,
      );
    },
  );
});

describe("RequestGuard.check(), Origin", () => {
  test.each([
    "http://localhost",
    "http://localhost:5173",
    "https://localhost:8443",
    "http://127.0.0.1:3000",
    "http://[::1]:3000",
    "https://app.example",
    "http://10.0.0.5:3000",
    "vscode-webview://abc",
  ])("passes %s", (origin) => {
    expect(guard.check(head({ origin }))).toBeUndefined();
  });

  test.each([
    "null",
    "",
    "http://evil.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example:3000",
    "http://evil-localhost",
    "https://app.example:8443",
    "http://app.example",
    "https://app.example.evil.example",
    "https://app.example/",
    "http://10.0.0.5",
    "http://10.0.0.5:3001",
    "file://localhost",
    "ftp://localhost",
    "chrome-extension://localhost",
    "http://localhost:80",
    "http://localhost/",
    "http://user@localhost",
    "http://LOCALHOST",
    "http://127.1",
    "http://0x7f000001",
    "http://localhost:5173, http://evil.example",
    "http://localhost\\.evil.example",
    "localhost",
    "//localhost",
    "*",
  ])("H02: refuses %p", async (origin) => {
    const response = guard.check(head({ origin }));
    expect(response?.headers.get("access-control-allow-origin")).toBeNull();
    expect(await bodyOf(response)).toEqual(refusal("Origin", origin, "--allow-origin"));
  });

  test("shows no more than the beginning of a long value", async () => {
    const origin = `http://${"x".repeat(5_000)}`;
    expect(await bodyOf(guard.check(head({ origin })))).toEqual(
      refusal("Origin", origin.slice(0, 100), "--allow-origin"),
    );
  });

  test.each([
    "",
    "*",
    "null",
    "app.example",
    "https://app.example/path",
    "https://a.example?x",
    "https://u@a.example",
  ])("a configuration with %p is refused", (entry) => {
    expect(() => new RequestGuard({ allowedHosts: [], allowedOrigins: [entry] })).toThrow(AppError);
  });
});

function corsOf(response: Response): Record<string, string> {
  const names = ["vary", "allow"];
  return Object.fromEntries(
    [...response.headers].filter(
      ([name]) => name.startsWith("access-control-") || names.includes(name),
    ),
  );
}

describe("RequestGuard.check(), requests of pages without Origin", () => {
  test.each([
    [undefined, true],
    ["none", true],
    ["same-origin", true],
    ["same-site", false],
    ["cross-site", false],
  ])("Sec-Fetch-Site %p: %p", async (site, passes) => {
    const refused = guard.check(head(site === undefined ? {} : { "sec-fetch-site": site }));
    const expected = passes ? undefined : refusal("Sec-Fetch-Site", site ?? "", "no flag");
    expect(await bodyOf(refused)).toEqual(expected);
  });

  test("an origin that is allowed may come from another site", () => {
    const headers = { origin: "https://app.example", "sec-fetch-site": "cross-site" };
    expect(guard.check(head(headers))).toBeUndefined();
  });
});

describe("RequestGuard, pages of other origins", () => {
  const readable = {
    "access-control-allow-origin": "https://app.example",
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate, MCP-Protocol-Version",
    vary: "Origin",
  };

  test.each<[string | undefined, Record<string, string>]>([
    ["https://app.example", readable],
    ["http://localhost:5173", { vary: "Origin" }],
    ["http://evil.example", { vary: "Origin" }],
    [undefined, { vary: "Origin" }],
  ])("H06: what a page of %p may read", async (origin, expected) => {
    const request = head(origin === undefined ? {} : { origin });
    expect(corsOf(guard.withCors(request, new Response("x")))).toEqual(expected);
    expect(corsOf(await guard.withCors(request, Promise.resolve(new Response("x"))))).toEqual(
      expected,
    );
    expect(corsOf(closedGuard.withCors(request, new Response("x")))).toEqual({});
  });

  test("keeps a Vary that is there", () => {
    const response = new Response("x", { headers: { vary: "Accept" } });
    expect(guard.withCors(head({}), response).headers.get("vary")).toBe("Accept, Origin");
  });

  test("a preflight names only what may be sent", () => {
    const request = head({
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers":
        "Content-Type, authorization,mcp-method, Mcp-Param-Region, cookie, x-other",
    });
    expect(corsOf(guard.preflight(request))).toEqual({
      ...readable,
      allow: "POST, GET, DELETE, OPTIONS",
      "access-control-allow-methods": "POST, GET, DELETE",
      "access-control-allow-headers": "content-type, authorization, mcp-method, mcp-param-region",
      "access-control-max-age": "600",
    });
  });

  test.each(["http://evil.example", "http://localhost:5173", "null"])(
    "H06: a preflight of %p is told nothing",
    (origin) => {
      const request = head({ origin, "access-control-request-headers": "content-type" });
      expect(corsOf(guard.preflight(request))).toEqual({
        allow: "POST, GET, DELETE, OPTIONS",
        vary: "Origin",
      });
      expect(guard.preflight(request).status).toBe(204);
    },
  );
});

describe("RequestGuard.checkPage()", () => {
  const own = "https://mcp.example";
  const host = "mcp.example";
  const page = { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" };

  test.each<[string, string, Record<string, string>]>([
    ["an address that was typed", "GET", { ...page, "sec-fetch-site": "none" }],
    ["a link from elsewhere", "GET", { ...page, "sec-fetch-site": "cross-site" }],
    ["its own form", "POST", { ...page, "sec-fetch-site": "same-origin", origin: own }],
    ["a program", "POST", {}],
  ])("passes %s", (_, method, headers) => {
    const request = { method, ...head({ host, ...headers }) };
    expect(guard.checkPage(request, own)).toBeUndefined();
  });

  test.each<[string, string, Record<string, string>, string]>([
    ["another host", "GET", { host: "evil.example" }, "Host"],
    [
      "a frame",
      "GET",
      { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" },
      "Sec-Fetch-Dest",
    ],
    ["a picture", "GET", { "sec-fetch-dest": "image", "sec-fetch-site": "none" }, "Sec-Fetch-Dest"],
    ["a form of another page", "POST", { ...page, origin: "https://evil.example" }, "Origin"],
    ["a form of an allowed origin", "POST", { ...page, origin: "https://app.example" }, "Origin"],
    [
      "a form of a page of this machine",
      "POST",
      { ...page, origin: "http://localhost:1" },
      "Origin",
    ],
    ["a form of nobody", "POST", { ...page, origin: "null" }, "Origin"],
    [
      "a form without an origin",
      "POST",
      { ...page, "sec-fetch-site": "cross-site" },
      "Sec-Fetch-Site",
    ],
  ])("refuses %s", (_, method, headers, header) => {
    const refused = guard.checkPage({ method, ...head({ host, ...headers }) }, own);
    expect(refused?.status).toBe(403);
    expect(bodyOf(refused)).resolves.toMatchObject({
      body: { error: { message: expect.stringContaining(`${header} `) } },
    });
  });
});
