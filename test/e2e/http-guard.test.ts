import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";

import { mirrored, modernMessage, readAnswer } from "./harness/http-client.ts";
import { RawConnection, rawPost } from "./harness/http-raw.ts";
import { HttpServer } from "./harness/http-server.ts";
import { testMsMax } from "./harness/platform.ts";

setDefaultTimeout(testMsMax);

const app = "https://app.example.com";

/** As it is without flags. */
let plain: HttpServer;
/** One that admits a page and a name. */
let open: HttpServer;
beforeAll(async () => {
  const args = ["--allow-origin", app, "--allow-host", "mcp.example.com"];
  const turn = "connection";
  [plain, open] = await Promise.all([HttpServer.start({ turn }), HttpServer.start({ turn, args })]);
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

const list = modernMessage(1, "tools/list");

function listWith(
  server: HttpServer,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return server.client.fetch({
    headers: { ...mirrored(list), ...headers },
    body: JSON.stringify(list),
  });
}

/** With a `Host` of any kind, which fetch would not send. */
async function statusWithHost(server: HttpServer, host: string): Promise<number> {
  const body = JSON.stringify(list);
  const headers = Object.entries(mirrored(list)).map(([name, value]) => `${name}: ${value}`);
  const more = ["Content-Type: application/json", `Content-Length: ${body.length}`, ...headers];
  using connection = new RawConnection(server.url);
  const bytes = rawPost(server.url, more, body).replace(/^Host: .*\r\n/m, host);
  connection.write(bytes);
  return await connection.status();
}

describe("H02: Origin", () => {
  test.each([
    "http://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://evil.example#localhost",
    "http://localhost@evil.example",
    "http://127.0.0.1.nip.io",
    "file://localhost",
    "chrome-extension://abc",
    "http://localhost/",
    "http://LOCALHOST",
    "http://localhost, http://evil.example",
    "",
    app,
  ])("[http.origin] %p is 403, before anything is done, and may not read it", async (origin) => {
    const mark = plain.home.at("mark");
    const params = { name: "Bash", arguments: { command: `touch ${mark}` } };
    const call = modernMessage(1, "tools/call", params);
    const headers = { ...mirrored(call), origin };
    const response = await plain.client.fetch({ headers, body: JSON.stringify(call) });
    expect(response.status).toBe(403);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
    const { messages } = await readAnswer(response, plain.client.newCheck());
    expect(messages).toEqual([
      { jsonrpc: "2.0", error: expect.objectContaining({ code: -32600 }) },
    ]);
    expect(existsSync(mark)).toBe(false);
  });

  test.each([
    "http://localhost",
    "http://localhost:3000",
    "https://127.0.0.1",
    "http://[::1]:8080",
  ])("[http.origin] %p is a page of this machine: it may send, and not read", async (origin) => {
    const response = await listWith(plain, { origin });
    expect(response.status).toBe(200);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  });

  test("[http.origin] GET and DELETE of a foreign page are 403 too", async () => {
    const session = await plain.initialize();
    for (const method of ["GET", "DELETE", "OPTIONS", "PUT"]) {
      const headers = {
        ...session.headers,
        accept: "text/event-stream",
        origin: "http://evil.example",
      };
      expect((await plain.client.fetch({ method, headers })).status).toBe(403);
    }
    expect((await session.request("ping")).result).toEqual({});
  });
});

describe("H03: Host", () => {
  test.each([
    ["Host: evil.example\r\n", 403],
    ["Host: 127.0.0.1.nip.io\r\n", 403],
    ["Host: localhost.evil.example:80\r\n", 403],
    ["Host: localhost@evil.example\r\n", 403],
    ["Host: 127.0.0.1\r\nHost: evil.example\r\n", 403],
    ["Host: \r\n", 403],
    ["Host: 2130706433\r\n", 403],
    ["Host: mcp.example.com\r\n", 403],
    ["Host: localhost.\r\n", 403],
    ["Host: a.localhost\r\n", 403],
    ["Host: 127.0.0.1.\r\n", 403],
    ["Host: 127.1\r\n", 403],
    ["Host: 0x7f.0.0.1\r\n", 403],
    ["Host: 0.0.0.0\r\n", 403],
    ["Host: [::]\r\n", 403],
    ["Host: [::ffff:127.0.0.1]\r\n", 403],
    ["Host: [0:0:0:0:0:0:0:1]\r\n", 403],
    ["Host: localhost:80:80\r\n", 403],
    ["Host: localhost/evil.example\r\n", 403],
    ["Host: localhost,evil.example\r\n", 403],
    ["Host: localhost\r\nX-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\n", 200],
    ["Host: evil.example\r\nX-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n", 403],
    ["", 400],
    ["Host: localhost\r\n", 200],
    ["Host: LocalHost:1\r\n", 200],
    ["Host: [::1]:9\r\n", 200],
  ])("[http.host] %p: %p", async (host, status) => {
    expect(await statusWithHost(plain, host)).toBe(status);
  });

  test("[http.host] a name that was allowed is answered, by that server", async () => {
    expect(await statusWithHost(open, "Host: mcp.example.com\r\n")).toBe(200);
    expect(await statusWithHost(open, "Host: mcp.example.com:8443\r\n")).toBe(200);
    expect(await statusWithHost(open, "Host: www.mcp.example.com\r\n")).toBe(403);
  });
});

describe("H05: bodies that a page may send without asking", () => {
  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "text/plain, application/json",
  ])("[http.content-type] %s is 415", async (type) => {
    expect((await listWith(plain, { "content-type": type })).status).toBe(415);
  });

  test("[http.content-type] none at all is 415", async () => {
    using connection = new RawConnection(plain.url);
    connection.write(rawPost(plain.url, ["Content-Length: 2"], "{}"));
    expect(await connection.status()).toBe(415);
  });
});

describe("H06: CORS", () => {
  const preflight = (server: HttpServer, origin: string): Promise<Response> =>
    server.client.fetch({
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type, mcp-method, x-other, mcp-param-region",
      },
    });

  test("[http.cors] a page that was allowed may send, read, and no more", async () => {
    const asked = await preflight(open, app);
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe(app);
    expect(asked.headers.get("access-control-allow-headers")).toBe(
      "content-type, mcp-method, mcp-param-region",
    );
    expect(asked.headers.get("access-control-allow-credentials")).toBeNull();
    const answer = await listWith(open, { origin: app });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(app);
    expect(answer.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
    expect(answer.headers.get("vary")).toContain("Origin");
  });

  test.each([
    "http://evil.example",
    "http://app.example.com",
    "https://app.example.com:444",
    "null",
  ])("[http.cors] %s gets no permission from either", async (origin) => {
    for (const server of [plain, open]) {
      for (const response of [
        await preflight(server, origin),
        await listWith(server, { origin }),
      ]) {
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
        expect(response.status).toBe(403);
      }
    }
  });

  test("[http.cors] a page of this machine that was not named may not read", async () => {
    const response = await preflight(plain, "http://localhost:3000");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });
});
