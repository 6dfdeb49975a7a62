import { expect, test } from "bun:test";

import { ConnectionUsers } from "../../../src/commands/process/connections.ts";
import { openSocketOwner, type SocketEnd } from "../../../src/commands/process/socket-owner.ts";

const linuxTest = test.skipIf(process.platform !== "linux");

/** What `ask` finds in the handler of a request that this process sends to itself. */
async function inRequest<T>(
  hostname: string,
  ask: (client: SocketEnd, server: SocketEnd) => T,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  using server = Bun.serve({
    hostname,
    port: 0,
    fetch(request, self) {
      const client = self.requestIP(request);
      const { address } = self as { address?: SocketEnd };
      if (client !== null && address !== undefined) resolve(ask(client, address));
      return new Response();
    },
  });
  await fetch(server.url);
  return await promise;
}

linuxTest.each(["127.0.0.1", "127.0.0.2", "::1", "localhost"])(
  "openSocketOwner() knows whose a connection to %s is, and of no other",
  async (hostname) => {
    const ownerOf = openSocketOwner();
    const found = await inRequest(hostname, (client, server) => [
      ownerOf?.(client, server),
      ownerOf?.({ ...client, port: 1 }, server),
      ownerOf?.(client, { ...server, port: 1 }),
      ownerOf?.({ ...client, address: "example" }, server),
    ]);
    expect(found).toEqual([process.getuid?.(), undefined, undefined, undefined]);
  },
);

linuxTest("ConnectionUsers asks the kernel once for a connection that stays", async () => {
  let asked = 0;
  const users = new ConnectionUsers(() => {
    asked += 1;
    return 7;
  });
  const found = await inRequest("127.0.0.1", (client, server) => [
    users.userOf(client, server),
    users.userOf(client, server),
    users.userOf({ ...client, address: "127.0.0.9" }, server),
  ]);
  expect([found, asked]).toEqual([[7, 7, 7], 2]);
});
