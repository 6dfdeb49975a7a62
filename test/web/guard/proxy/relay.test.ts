import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

import { bindLives } from "../../../../src/web/guard/proxy/relay.ts";

/** A server that never reads, and a connection to it. */
async function deafLine(): Promise<{ readonly server: Server; readonly socket: Socket }> {
  const server = createServer((accepted) => {
    accepted.on("error", () => undefined);
    accepted.pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return { server, socket };
}

const megabytes = Buffer.alloc(16_000_000);

test("a server that does not take what it is sent is left when the proxy ends", async () => {
  const [client, server] = [await deafLine(), await deafLine()];
  const ended = new AbortController();
  bindLives(client.socket, server.socket, ended.signal);
  server.socket.write(megabytes);
  client.socket.destroy();
  await once(client.socket, "close");
  // What was said last still goes out.
  expect([server.socket.writableLength > 0, server.socket.destroyed]).toEqual([true, false]);
  ended.abort();
  expect(server.socket.destroyed).toBe(true);
  client.server.close();
  server.server.close();
});
