import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createGuard } from "../../../src/web/guard/create-guard.ts";
import { type GuardProxy, type NetworkGuard } from "../../../src/web/guard/network-guard.ts";
import { exchange, RawServer, saying, until, writeSlowly } from "./local-parts.ts";

let guard: NetworkGuard;

beforeAll(() => {
  guard = createGuard({
    allowHosts: ["page.test"],
    proxyEnv: {},
    resolve: async (host) => (host === "void.test" ? [] : ["127.0.0.1"]),
  });
});
afterAll(() => guard[Symbol.asyncDispose]());

/** A proxy that shows a page of page.test, on the port of `server`. */
async function proxyFor(server: RawServer): Promise<GuardProxy> {
  const proxy = await guard.openProxy();
  proxy.serve(new URL(`http://page.test:${server.port}/`));
  return proxy;
}

const portOf = (proxy: GuardProxy): number => Number(new URL(proxy.url).port);
const authorized = ({ username, password }: GuardProxy): string =>
  `Proxy-Authorization: Basic ${btoa(`${username}:${password}`)}`;
const request = (proxy: GuardProxy, ...lines: readonly string[]): string =>
  [lines[0], authorized(proxy), ...lines.slice(1), "", ""].join("\r\n");
const statusOf = (said: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1]);

/** A line through CONNECT, once it stands. */
async function tunnel(proxy: GuardProxy, port: number, host = "page.test"): Promise<Socket> {
  const socket = connect({ port: portOf(proxy), host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.write(request(proxy, `CONNECT ${host}:${port} HTTP/1.1`));
  const [said] = (await once(socket, "data")) as [Buffer];
  expect(said.toString()).toBe("HTTP/1.1 200 Connection Established\r\n\r\n");
  return socket;
}

describe("a request for a whole URL", () => {
  test("goes on as one of its own, without what is between browser and proxy", async () => {
    let heard = "";
    await using server = await RawServer.start((socket) => {
      socket.on("data", (data) => {
        heard += String(data);
        if (heard.endsWith("body")) {
          socket.end("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok");
        }
      });
    });
    await using proxy = await proxyFor(server);
    const lines = [
      `POST http://page.test:${server.port}/a?b HTTP/1.1`,
      "Host: elsewhere.test",
      "Proxy-Connection: keep-alive",
      "Connection: X-Mine, content-length",
      "X-Mine: 1",
      "Upgrade: websocket",
      "Accept: */*",
      "Content-Length: 4",
    ];
    const said = await exchange(
      portOf(proxy),
      request(proxy, ...lines),
      "body",
      "GET http://page.test/ ",
    );
    expect(heard).toBe(
      `POST /a?b HTTP/1.1\r\nHost: page.test:${server.port}\r\nAccept: */*\r\nContent-Length: 4\r\n` +
        "Connection: close\r\n\r\nbody",
    );
    expect(said).toBe("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
  });

  test("may come in single bytes", async () => {
    await using server = await RawServer.start(saying("HTTP/1.1 204 No Content\r\n\r\n"));
    await using proxy = await proxyFor(server);
    const text = request(proxy, `GET http://page.test:${server.port}/ HTTP/1.1`);
    expect(statusOf(await exchange(portOf(proxy), ...text.split("")))).toBe(204);
  });

  test("gets interim answers, and the answer in whatever packets it comes", async () => {
    const answer = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n\r\nbody";
    await using server = await RawServer.start((socket) => {
      socket.setNoDelay(true);
      socket.once("data", () => {
        void writeSlowly(socket, answer.split("")).then(() => socket.end());
      });
    });
    await using proxy = await proxyFor(server);
    const said = await exchange(
      portOf(proxy),
      request(proxy, `GET http://page.test:${server.port}/ HTTP/1.1`),
    );
    expect(said).toBe(
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\n\r\nbody",
    );
  });

  test.each<[name: string, answer: string]>([
    ["no HTTP", "SSH-2.0-x\r\n\r\n"],
    ["nothing", ""],
    ["a challenge for proxies", 'HTTP/1.1 407 X\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n'],
    ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"],
    ["a head that is too large", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(70_000)}\r\n\r\n`],
  ])("is answered 502 when the server says %s", async (_name, answer) => {
    await using server = await RawServer.start(saying(answer));
    await using proxy = await proxyFor(server);
    const said = await exchange(
      portOf(proxy),
      request(proxy, `GET http://page.test:${server.port}/ HTTP/1.1`),
    );
    expect(said).toMatch(/^HTTP\/1\.1 502 [\s\S]*"page\.test" sent no usable response: /);
  });

  test("ends after interim answers without end", async () => {
    await using server = await RawServer.start(saying("HTTP/1.1 103 X\r\n\r\n".repeat(1000)));
    await using proxy = await proxyFor(server);
    const text = request(proxy, `GET http://page.test:${server.port}/ HTTP/1.1`);
    const said = await exchange(portOf(proxy), text);
    expect(said.split("HTTP/1.1 103").length - 1).toBe(17);
    expect(server.sockets.size).toBe(0);
  });
});

describe("U-ssrf: what is not served", () => {
  test.each<[status: number, target: string]>([
    [407, "wrong"],
    [407, "none"],
    [407, "twice"],
  ])("%d for credentials that are %s", async (status, kind) => {
    await using server = await RawServer.start(saying("HTTP/1.1 204 X\r\n\r\n"));
    await using proxy = await proxyFor(server);
    const good = authorized(proxy);
    const lines = {
      wrong: [`Proxy-Authorization: Basic ${btoa(`${proxy.username}:x`)}`],
      none: [],
      twice: [good, good],
    }[kind];
    const start = [`GET http://page.test:${server.port}/ HTTP/1.1`, ...(lines ?? []), "", ""];
    const said = await exchange(portOf(proxy), start.join("\r\n"));
    expect([statusOf(said), server.accepted]).toEqual([status, 0]);
    expect(said).toContain('\r\nProxy-Authenticate: Basic realm="network guard"\r\n');
  });

  test.each<[status: number, start: string, refusedHost: string | undefined]>([
    [403, "GET http://other.test:PORT/ HTTP/1.1", "other.test"],
    [403, "GET http://127.0.0.1:PORT/ HTTP/1.1", "127.0.0.1"],
    [403, "GET http://[::ffff:7f00:1]:PORT/ HTTP/1.1", "::ffff:7f00:1"],
    [403, "GET http://page.test:25/ HTTP/1.1", "page.test"],
    [403, "CONNECT other.test:PORT HTTP/1.1", "other.test"],
    [403, "CONNECT localhost:PORT HTTP/1.1", "localhost"],
    [403, "CONNECT 169.254.169.254:80 HTTP/1.1", "169.254.169.254"],
    [403, "CONNECT page.test:8443 HTTP/1.1", "page.test"],
    [403, "CONNECT page.test:25 HTTP/1.1", "page.test"],
    [502, "GET http://void.test/ HTTP/1.1", undefined],
    [400, "GET / HTTP/1.1", undefined],
    [400, "GARBAGE", undefined],
  ])("%d for %s", async (status, start, host) => {
    await using server = await RawServer.start(saying("HTTP/1.1 204 X\r\n\r\n"));
    await using proxy = await proxyFor(server);
    const said = await exchange(
      portOf(proxy),
      request(proxy, start.replace("PORT", String(server.port))),
    );
    expect([statusOf(said), server.accepted]).toEqual([status, 0]);
    expect(said.includes("\r\nx-scorpiox-refused: 1\r\n")).toBe(status === 403);
    expect(proxy.refusals.map((refusal) => refusal.host)).toEqual(host === undefined ? [] : [host]);
    const reason = proxy.refusals[0]?.reason;
    if (reason !== undefined) expect(said).toContain(reason);
  });

  test("403 while no page is shown", async () => {
    await using proxy = await guard.openProxy();
    const said = await exchange(portOf(proxy), request(proxy, "CONNECT page.test:443 HTTP/1.1"));
    expect(statusOf(said)).toBe(403);
  });

  test.each([
    [16_384, 403],
    [16_385, 431],
  ])("a head of %d bytes: %d", async (bytes, status) => {
    await using proxy = await guard.openProxy();
    const bare = request(proxy, "CONNECT page.test:443 HTTP/1.1", "X: ");
    const said = await exchange(
      portOf(proxy),
      bare.replace("X: ", `X: ${"a".repeat(bytes - bare.length)}`),
    );
    expect(statusOf(said)).toBe(status);
  });

  test("more than a hundred refusals are not remembered", async () => {
    await using server = await RawServer.start(() => undefined);
    await using proxy = await proxyFor(server);
    for (let n = 0; n < 103; n++) {
      await exchange(portOf(proxy), request(proxy, `GET http://h${n}.test/ HTTP/1.1`));
    }
    expect([proxy.refusals.length, proxy.refusals[0]?.host]).toEqual([100, "h3.test"]);
  });

  test("more connections than it serves are told so, and find room when others end", async () => {
    await using server = await RawServer.start(() => undefined);
    await using proxy = await proxyFor(server);
    const lines = await Promise.all(Array.from({ length: 256 }, () => tunnel(proxy, server.port)));
    expect(statusOf(await exchange(portOf(proxy), "GET"))).toBe(503);
    for (const line of lines) line.destroy();
    await until(() => server.sockets.size === 0);
    const again = await tunnel(proxy, server.port);
    again.destroy();
  });
});

describe("CONNECT", () => {
  test("passes bytes both ways, those that came with the head too", async () => {
    await using server = await RawServer.start((socket) => socket.pipe(socket));
    await using proxy = await proxyFor(server);
    const socket = connect({ port: portOf(proxy), host: "127.0.0.1" });
    let said = "";
    socket.on("data", (data) => (said += String(data)));
    socket.write(`${request(proxy, `CONNECT page.test:${server.port} HTTP/1.1`)}first`);
    await until(() => said.endsWith("\r\n\r\nfirst"));
    socket.write("second");
    await until(() => said.endsWith("firstsecond"));
    socket.end();
    await once(socket, "close");
  });

  test("a side that has ended still hears the other", async () => {
    let heard = "";
    await using server = await RawServer.start(
      (socket) => {
        socket.on("data", (data) => (heard += String(data)));
        socket.on("end", () => socket.end(`heard ${heard}`));
      },
      { allowHalfOpen: true },
    );
    await using proxy = await proxyFor(server);
    const socket = await tunnel(proxy, server.port);
    let said = "";
    socket.on("data", (data) => (said += String(data)));
    socket.end("all of it");
    await once(socket, "end");
    expect(said).toBe("heard all of it");
    await until(() => server.sockets.size === 0);
  });

  test("carries a WebSocket", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (asked, self) => (self.upgrade(asked) ? undefined : new Response("no")),
      websocket: { message: (socket, message) => void socket.send(`echo ${String(message)}`) },
    });
    await using proxy = await guard.openProxy();
    const url = `ws://page.test:${server.port}/`;
    proxy.serve(new URL(url.replace("ws:", "http:")));
    const socket = new WebSocket(url, {
      proxy: proxy.url.replace("//", `//${proxy.username}:${proxy.password}@`),
    } as unknown as string[]);
    const said = new Promise((resolve, reject) => {
      socket.addEventListener("message", ({ data }) => resolve(data));
      socket.addEventListener("error", reject);
    });
    await once(socket as unknown as EventTarget & NodeJS.EventEmitter, "open");
    socket.send("hello");
    expect(await said).toBe("echo hello");
    socket.close();
    await server.stop(true);
  });

  test("502 when nobody listens, and when the name is unknown", async () => {
    let port = 0;
    {
      await using server = await RawServer.start(() => undefined);
      port = server.port;
    }
    await using proxy = await guard.openProxy();
    proxy.serve(new URL(`http://page.test:${port}/`));
    const starts = [`CONNECT page.test:${port} HTTP/1.1`, "CONNECT void.test:443 HTTP/1.1"];
    const said = await Promise.all(
      starts.map((start) => exchange(portOf(proxy), request(proxy, start))),
    );
    expect(said.map(statusOf)).toEqual([502, 502]);
  });
});
