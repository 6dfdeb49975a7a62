import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createGuard } from "../../../../src/web/guard/create-guard.ts";
import { exchange, RawServer, saying } from "../local-parts.ts";

/** A proxy of the user that keeps what it hears. */
async function userProxy(
  answer: (socket: Socket, head: string) => void,
): Promise<[RawServer, string[]]> {
  const heard: string[] = [];
  const server = await RawServer.start((socket) => {
    socket.once("data", (data) => {
      heard.push(String(data));
      answer(socket, String(data));
    });
  });
  return [server, heard];
}

/** What a browser hears for `start` from a guard behind the proxy on `port`. */
async function throughGuard(port: number, start: string, resolve = unknown): Promise<string> {
  const url = `http://me:pw@127.0.0.1:${port}`;
  const proxyEnv = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "near.example" };
  await using guard = createGuard({ allowHosts: ["near.example"], proxyEnv, resolve });
  await using proxy = await guard.openProxy();
  proxy.serve(new URL("http://near.example/"));
  const credential = btoa(`${proxy.username}:${proxy.password}`);
  const text = `${start}\r\nProxy-Authorization: Basic ${credential}\r\n\r\n`;
  return await exchange(Number(new URL(proxy.url).port), text);
}

const unknown = async (): Promise<readonly string[]> => [];
const home = async (): Promise<readonly string[]> => ["127.0.0.1"];
const mine = `Proxy-Authorization: Basic ${btoa("me:pw")}`;

describe("behind the user's proxy", () => {
  test("a whole URL is asked of it as such, with its own credentials", async () => {
    const [proxy, heard] = await userProxy((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nbody"));
    await using _ = proxy;
    const said = await throughGuard(proxy.port, "GET http://docs.example/a?b HTTP/1.1");
    expect(said).toBe("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody");
    expect(heard).toEqual([
      `GET http://docs.example:80/a?b HTTP/1.1\r\nHost: docs.example\r\n${mine}\r\nConnection: close\r\n\r\n`,
    ]);
  });

  test("CONNECT goes through it, and what came with its answer is not lost", async () => {
    const [proxy, heard] = await userProxy((socket) =>
      socket.end("HTTP/1.1 200 Connected\r\nVia: x\r\n\r\nhello"),
    );
    await using _ = proxy;
    const said = await throughGuard(proxy.port, "CONNECT docs.example:443 HTTP/1.1");
    expect(said).toBe("HTTP/1.1 200 Connection Established\r\n\r\nhello");
    expect(heard).toEqual([
      `CONNECT docs.example:443 HTTP/1.1\r\nHost: docs.example:443\r\n${mine}\r\n\r\n`,
    ]);
  });

  test.each([
    ["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "answered 407"],
    ["HTTP/1.1 301 Moved\r\nLocation: http://x/\r\n\r\n", "answered 301"],
    ["", "gave no answer"],
    ["garbage\r\n\r\n", "gave no answer"],
  ])("its answer %p to CONNECT is not the page's", async (answer, what) => {
    await using proxy = await RawServer.start(saying(answer));
    const said = await throughGuard(proxy.port, "CONNECT docs.example:443 HTTP/1.1");
    expect(said).toStartWith("HTTP/1.1 502 ");
    expect(said).toContain(`the proxy http://127.0.0.1:${proxy.port} ${what}.`);
    expect(said).not.toContain("pw");
  });

  test.each([
    ["GET http://10.0.0.1/ HTTP/1.1", unknown],
    ["CONNECT [::ffff:10.0.0.1]:443 HTTP/1.1", unknown],
    ["GET http://2130706433/ HTTP/1.1", unknown],
    ["GET http://printer/ HTTP/1.1", unknown],
    ["GET http://inside.example/ HTTP/1.1", home],
  ] as const)("it is not asked for what is known to be private: %s", async (start, resolve) => {
    const [proxy, heard] = await userProxy((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    await using _ = proxy;
    expect(await throughGuard(proxy.port, start, resolve)).toStartWith("HTTP/1.1 403 ");
    expect(heard).toEqual([]);
  });

  test("what NO_PROXY names is asked directly", async () => {
    const [proxy, heard] = await userProxy((socket) => socket.end());
    await using _ = proxy;
    await using server = await RawServer.start(saying("HTTP/1.1 204 No Content\r\n\r\n"));
    const start = `GET http://near.example:${server.port}/ HTTP/1.1`;
    expect(await throughGuard(proxy.port, start, home)).toStartWith("HTTP/1.1 204 ");
    expect(heard).toEqual([]);
  });

  test("a proxy that is not there is told by its address, without credentials", async () => {
    let port = 0;
    {
      await using server = await RawServer.start(() => undefined);
      port = server.port;
    }
    const said = await throughGuard(port, "CONNECT docs.example:443 HTTP/1.1");
    expect(said).toContain(
      `Cannot connect to "127.0.0.1" on port ${port}: the connection was refused.`,
    );
  });

  test("a tunnel that nobody wants any more is closed", async () => {
    const [proxy] = await userProxy(() => undefined);
    await using _ = proxy;
    const proxyEnv = { ALL_PROXY: `http://127.0.0.1:${proxy.port}` };
    await using guard = createGuard({ allowHosts: [], proxyEnv, resolve: unknown });
    await using own = await guard.openProxy();
    own.serve(new URL("https://docs.example/"));
    const socket = connect({ port: Number(new URL(own.url).port), host: "127.0.0.1" });
    const credential = btoa(`${own.username}:${own.password}`);
    socket.write(
      `CONNECT docs.example:443 HTTP/1.1\r\nProxy-Authorization: Basic ${credential}\r\n\r\n`,
    );
    while (proxy.sockets.size === 0) await Bun.sleep(2);
    const [received] = proxy.sockets;
    const closed = received === undefined ? Promise.resolve() : once(received, "close");
    received?.resume();
    socket.destroy();
    await closed;
  });
});
