import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createGuard } from "../../../../src/web/guard/create-guard.ts";
import { type GuardProxy, type NetworkGuard } from "../../../../src/web/guard/network-guard.ts";
import { RawServer, saying, until } from "../local-parts.ts";

const mib = 1024 * 1024;
const total = 50 * mib;
const chunk = Buffer.alloc(64 * 1024, 97);

let guard: NetworkGuard;
beforeAll(() => {
  guard = createGuard({
    allowHosts: ["page.test"],
    proxyEnv: {},
    resolve: async () => ["127.0.0.1"],
  });
});
afterAll(() => guard[Symbol.asyncDispose]());

async function open(
  port: number,
  start: string,
  ...fields: string[]
): Promise<[GuardProxy, Socket]> {
  const proxy = await guard.openProxy();
  proxy.serve(new URL(`http://page.test:${port}/`));
  const socket = connect({ port: Number(new URL(proxy.url).port), host: "127.0.0.1" });
  socket.on("error", () => undefined);
  const credential = btoa(`${proxy.username}:${proxy.password}`);
  const lines = [start, `Proxy-Authorization: Basic ${credential}`, ...fields, "", ""];
  socket.write(lines.join("\r\n"));
  return [proxy, socket];
}

/** Writes `total` bytes as fast as they are taken. */
function flood(socket: Socket, onSent: (bytes: number) => void, onEnd?: () => void): void {
  let sent = 0;
  const more = (): void => {
    while (sent < total && !socket.destroyed) {
      sent += chunk.length;
      onSent(sent);
      if (!socket.write(chunk)) return;
    }
    socket.removeListener("drain", more);
    onEnd?.();
  };
  socket.on("drain", more);
  more();
}

/** Waits until a count has stood still for a while: nothing flows any more. */
async function settled(count: () => number): Promise<number> {
  let [last, since] = [count(), performance.now()];
  await until(() => {
    if (count() !== last) [last, since] = [count(), performance.now()];
    return performance.now() - since > 150;
  });
  return last;
}

describe("U-ssrf: a reader of a huge body that pauses", () => {
  test.each([
    ["through CONNECT", (port: number) => `CONNECT page.test:${port} HTTP/1.1`],
    ["of an answer", (port: number) => `GET http://page.test:${port}/ HTTP/1.1`],
  ])("%s stops the sender, and gets all in the end", async (_name, start) => {
    let sent = 0;
    await using server = await RawServer.start((socket) => {
      const begin = (): void => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        flood(
          socket,
          (bytes) => (sent = bytes),
          () => socket.end(),
        );
      };
      if (start(0).startsWith("GET")) socket.once("data", begin);
      else begin();
    });
    const [proxy, socket] = await open(server.port, start(server.port));
    await using _ = proxy;
    await once(socket, "readable");
    const stopped = await settled(() => sent);
    // What the system's buffers hold; what the proxy would hold besides is nearly all of it.
    expect(stopped).toBeGreaterThan(0);
    expect(stopped).toBeLessThan(total / 2);
    let got = 0;
    socket.on("data", (data: Buffer) => (got += data.length));
    await once(socket, "end");
    expect(sent).toBe(total);
    expect(got).toBeGreaterThan(total);
    expect(got).toBeLessThan(total + 300);
  });
});

test("a server that pauses stops an upload, and gets all in the end", async () => {
  let sent = 0;
  let got = 0;
  await using server = await RawServer.start((socket) => socket.pause());
  const start = `POST http://page.test:${server.port}/ HTTP/1.1`;
  const [proxy, socket] = await open(server.port, start, `Content-Length: ${total}`);
  await using _ = proxy;
  flood(socket, (bytes) => (sent = bytes));
  const stopped = await settled(() => sent);
  expect(stopped).toBeLessThan(total / 2);
  const [received] = server.sockets;
  received?.on("data", (data: Buffer) => (got += data.length)).resume();
  await until(() => got > total);
  expect(got).toBeLessThan(total + 300);
  socket.destroy();
  await until(() => server.sockets.size === 0);
});

test("a client that says much before its line stands is not read on", async () => {
  let sent = 0;
  await using mute = await RawServer.start((socket) => socket.pause());
  const proxyEnv = { ALL_PROXY: `http://127.0.0.1:${mute.port}` };
  await using own = createGuard({ allowHosts: [], proxyEnv, resolve: async () => [] });
  const proxy = await own.openProxy();
  proxy.serve(new URL("https://docs.example/"));
  const socket = connect({ port: Number(new URL(proxy.url).port), host: "127.0.0.1" });
  socket.on("error", () => undefined);
  const credential = btoa(`${proxy.username}:${proxy.password}`);
  socket.write(
    `CONNECT docs.example:443 HTTP/1.1\r\nProxy-Authorization: Basic ${credential}\r\n\r\n`,
  );
  flood(socket, (bytes) => (sent = bytes));
  expect(await settled(() => sent)).toBeLessThan(total / 2);
  socket.destroy();
});

describe("the end of", () => {
  const connectTo = (port: number): string => `CONNECT page.test:${port} HTTP/1.1`;

  test("an answer ends the connection, also when its client goes on", async () => {
    await using server = await RawServer.start(saying("HTTP/1.1 200 OK\r\n\r\nbody"));
    const start = `GET http://page.test:${server.port}/ HTTP/1.1`;
    const [proxy, socket] = await open(server.port, start);
    await using _ = proxy;
    socket.allowHalfOpen = true;
    socket.resume();
    await once(socket, "end");
    // Nobody reads what is written now: the proxy has closed, and says so by a reset.
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    const timer = setInterval(() => socket.write("more"), 20);
    await closed;
    clearInterval(timer);
  });

  test("a guard ends a proxy that is being opened", async () => {
    const own = createGuard({ allowHosts: [], proxyEnv: {} });
    const opening = own.openProxy();
    await own[Symbol.asyncDispose]();
    const late = connect({ port: Number(new URL((await opening).url).port), host: "127.0.0.1" });
    const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });

  test("a proxy closes what it holds, and nobody gets in any more", async () => {
    await using server = await RawServer.start(() => undefined);
    const [proxy, socket] = await open(server.port, connectTo(server.port));
    await once(socket, "data");
    const closed = once(socket, "close");
    await proxy[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await closed;
    await until(() => server.sockets.size === 0);
    const late = connect({ port: Number(new URL(proxy.url).port), host: "127.0.0.1" });
    const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });

  test("a guard ends its proxies, those that wait for a name too", async () => {
    const asked = Promise.withResolvers<void>();
    const own = createGuard({
      allowHosts: [],
      proxyEnv: {},
      resolve: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    const proxy = await own.openProxy();
    proxy.serve(new URL("http://page.test/"));
    const socket = connect({ port: Number(new URL(proxy.url).port), host: "127.0.0.1" });
    const credential = btoa(`${proxy.username}:${proxy.password}`);
    socket.write(
      `CONNECT page.test:443 HTTP/1.1\r\nProxy-Authorization: Basic ${credential}\r\n\r\n`,
    );
    await asked.promise;
    const closed = once(socket, "close");
    await own[Symbol.asyncDispose]();
    await closed;
    const failure: unknown = await own.openProxy().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "cancelled" });
  });

  test.each(["the client", "the server"])("%s ends the other side", async (who) => {
    await using server = await RawServer.start(() => undefined);
    const [proxy, socket] = await open(server.port, connectTo(server.port));
    await using _ = proxy;
    await once(socket, "data");
    const [received] = server.sockets;
    const [one, other] = who === "the client" ? [socket, received] : [received, socket];
    if (one === undefined || other === undefined) throw new Error("no connection");
    other.resume();
    const closed = once(other, "close");
    one.resetAndDestroy();
    await closed;
  });
});
