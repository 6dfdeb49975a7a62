import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { mirrored, modernMessage } from "./harness/http-client.ts";
import { RawConnection, rawPost } from "./harness/http-raw.ts";
import { HttpServer } from "./harness/http-server.ts";

/** A body has 30 s; these wait side by side. */
const slowMsMax = 60_000;

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start({ turn: "connection" });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Writes a byte every now and then until the connection ends. */
async function dribble(connection: RawConnection): Promise<void> {
  const timer = setInterval(() => connection.write("a"), 1_000);
  await connection.closed(slowMsMax);
  clearInterval(timer);
}

describe("U-http: slow senders", () => {
  test.concurrent(
    "[http.slow] a body that does not come is 408",
    async () => {
      using connection = new RawConnection(server.url);
      const mirror = Object.entries(mirrored(modernMessage(1, "tools/list")));
      const head = mirror.map((row) => row.join(": "));
      const more = ["Content-Type: application/json", "Content-Length: 1000"];
      connection.write(rawPost(server.url, [...head, ...more], '{"jsonrpc'));
      expect(await connection.status(slowMsMax)).toBe(408);
      await connection.closed(slowMsMax);
    },
    slowMsMax,
  );

  test.concurrent(
    "[http.slow] a body that dribbles is 408",
    async () => {
      using connection = new RawConnection(server.url);
      const head = ["Content-Type: application/json", "Content-Length: 1000"];
      connection.write(rawPost(server.url, head, "["));
      await dribble(connection);
      expect(connection.statuses).toEqual([408]);
    },
    slowMsMax,
  );

  test.concurrent(
    "[http.slow] 200 heads that never end are closed, and others are served meanwhile",
    async () => {
      const attackers = Array.from({ length: 200 }, () => new RawConnection(server.url));
      for (const attacker of attackers)
        attacker.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ");
      for (let round = 0; round < 5; round += 1) {
        expect((await server.modern("tools/list")).status).toBe(200);
      }
      await Promise.all(attackers.map((attacker) => dribble(attacker)));
      expect(attackers.flatMap(({ statuses }) => statuses).every((status) => status >= 400)).toBe(
        true,
      );
    },
    slowMsMax,
  );

  test.concurrent(
    "[http.slow] a connection that says nothing is closed",
    async () => {
      using connection = new RawConnection(server.url);
      await connection.closed(slowMsMax);
      expect(connection.text).toBe("");
    },
    slowMsMax,
  );
});
