import { expect, test } from "bun:test";

import { capConnections } from "../../src/process/connection-cap.ts";
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
    const connect = (port: number): Promise<Bun.Socket> =>
      Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
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
