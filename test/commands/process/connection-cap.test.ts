import { expect, test } from "bun:test";
import { join } from "node:path";

import { capConnections } from "../../../src/commands/process/connections.ts";
import { until } from "./until.ts";

test.skipIf(process.platform !== "linux")(
  "capConnections() closes idle connections first, then the newest, and leaves other ports alone",
  async () => {
    const closed: string[] = [];
    const serve = (name: string): Bun.TCPSocketListener<undefined> =>
      Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: { data() {}, close: () => void closed.push(name) },
      });
    using capped = serve("capped");
    using other = serve("other");
    let idleCloses = 0;
    const closeIdle = (): void => void idleCloses++;
    const sockets = await Promise.all([
      ...Array.from({ length: 3 }, () => connect(other.port)),
      ...Array.from({ length: 8 }, () => connect(capped.port)),
    ]);
    const stop = capConnections({ port: capped.port, closeIdle, connectionsMax: 5, lookMs: 5 });
    await until(() => closed.length === 3);
    stop();
    expect([closed, idleCloses > 0]).toEqual([["capped", "capped", "capped"], true]);
    for (const socket of sockets) socket.end();
  },
);

test.skipIf(process.platform !== "linux")(
  "capConnections() works when a flood has taken all descriptors",
  async () => {
    const fixture = join(import.meta.dir, "fixtures/capped-server.ts");
    const command = `ulimit -n 256; exec "$0" "$1"`;
    await using server = Bun.spawn(["sh", "-c", command, process.execPath, fixture], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const port = Number(await firstLine(server.stdout));
    const sockets = await Promise.all(Array.from({ length: 400 }, () => connect(port)));
    // The kernel hands a silent connection over a second later.
    for (const socket of sockets) socket.write("GET / HTTP/1.1\r\n");
    expect(await answer(port)).toBe("ok");
    for (const socket of sockets) socket.end();
    server.kill();
    expect(await server.stderr.text()).toBe("");
  },
);

/** A connection on which nothing is ever said. */
function connect(port: number): Promise<Bun.Socket> {
  return Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
}

/** Tries again when its connection was among those that were closed. */
async function answer(port: number): Promise<string> {
  for (;;) {
    try {
      return await (await fetch(`http://127.0.0.1:${port}/`)).text();
    } catch {
      await Bun.sleep(5);
    }
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString();
    if (text.includes("\n")) break;
  }
  return text.trim();
}
