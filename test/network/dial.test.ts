import { afterEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, createServer, Socket, type Server } from "node:net";
import { dialFirst } from "../../src/network/dial.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => undefined).resume());
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

async function freePort(): Promise<number> {
  const port = await listen();
  servers.pop()?.close();
  return port;
}

const signal = new AbortController().signal;
const good = "127.0.0.1";

describe("dialFirst()", () => {
  test.each([
    ["the first", [good]],
    ["the next, when one refuses", ["127.0.0.9", good]],
    ["the next, when one cannot be routed to", ["255.255.255.255", good]],
  ])("takes %s", async (_name, addresses) => {
    const { socket, address } = await dialFirst("a.test", addresses, await listen(), signal);
    expect(address).toBe(good);
    expect(socket.remoteAddress).toBe(good);
    socket.destroy();
  });

  test("takes the next when one does not answer, and gives that up", async () => {
    const silent = new Socket();
    const open = (address: string, port: number): Socket =>
      address === "mute" ? silent : connect({ host: address, port });
    const { socket, address } = await dialFirst(
      "a.test",
      ["mute", good],
      await listen(),
      signal,
      open,
    );
    expect([address, silent.destroyed]).toEqual([good, true]);
    socket.destroy();
  });

  test.each([
    [[good], "the connection was refused"],
    [["127.0.0.9", good], "the connection was refused"],
    [[], "it has no usable address"],
  ])("of %p nobody answers: a failure of the system", async (addresses, reason) => {
    const port = await freePort();
    const failure = dialFirst("a.test", addresses, port, signal);
    expect(await failure.catch((error: unknown) => error)).toMatchObject({
      code: "system",
      message: `Cannot connect to "a.test" on port ${port}: ${reason}.`,
    });
  });

  test("ends when it is cancelled, before and meanwhile", async () => {
    const controller = new AbortController();
    const mute = new Socket();
    const meanwhile = dialFirst("a.test", ["mute"], 80, controller.signal, () => mute);
    controller.abort();
    const before = dialFirst("a.test", ["mute"], 80, controller.signal, () => new Socket());
    const ends = await Promise.allSettled([meanwhile, before]);
    expect(ends).toMatchObject([
      { reason: { code: "cancelled" } },
      { reason: { code: "cancelled" } },
    ]);
    expect(mute.destroyed).toBe(true);
  });
});
