import { serveConnection } from "../../src/server/serve-connection.ts";
import { MemoryTransport } from "../server/transport/memory-transport.ts";
import { createFixtureContext, fixtureLimits } from "./fixture-features.ts";

export interface MemoryFixture extends AsyncDisposable {
  /** Delivers one message and waits for `count` messages; returns those, parsed. */
  exchange(message: unknown, count?: number): Promise<readonly unknown[]>;
}

/** The fixture server at the other end of a pipe in memory. */
export function startMemoryFixture(): MemoryFixture {
  const transport = new MemoryTransport();
  const connection = serveConnection({
    transport,
    server: createFixtureContext(),
    client: { id: "memory", limitsFor: () => fixtureLimits, fallbackDir: "/" },
    drainMs: 0,
  });
  let seen = 0;
  return {
    async exchange(message, count = 1) {
      transport.deliver(message);
      await transport.sentAtLeast(seen + count);
      const fresh = transport.sent.slice(seen);
      seen = transport.sent.length;
      return fresh.map((text) => JSON.parse(text) as unknown);
    },
    async [Symbol.asyncDispose]() {
      connection.shutdown();
      await connection.ended;
    },
  };
}
