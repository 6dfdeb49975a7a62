import { expect, test } from "bun:test";

import { Peer } from "../../../src/upstream/connect/peer.ts";
import { ServerRequests } from "../../../src/upstream/connect/server-requests.ts";
import { StdioLink } from "../../../src/upstream/connect/stdio-link.ts";
import type { UpstreamProcess } from "../../../src/upstream/process/upstream-process.ts";

const page = new TextEncoder().encode('{"jsonrpc":"2.0","id":"r","method":"ping"}\n'.repeat(1_000));

/** Asks without end. `write` says when it has read an answer. */
function askingProcess(write: () => Promise<void>): {
  readonly process: UpstreamProcess;
  pages(): number;
} {
  let pages = 0;
  const output = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await Bun.sleep(0);
        pages += 1;
        controller.enqueue(page);
      },
    },
    { highWaterMark: 0 },
  );
  const process: UpstreamProcess = {
    pid: 1,
    output,
    write,
    endInput: () => {},
    ended: new Promise(() => {}),
    stderrTail: () => [],
    stop: () => Promise.resolve(),
  };
  return { process, pages: () => pages };
}

test("a server that asks and does not read is not read any more either [GW-36]", async () => {
  const read: (() => void)[] = [];
  const asking = askingProcess(() => new Promise((resolve) => void read.push(resolve)));
  const peer: Peer = new Peer({
    onStray: () => {},
    onNotification: () => {},
    onRequest: (request, origin) => void requests.take(request, origin),
    onClosed: () => {},
  });
  const rights = { mayAsk: { sampling: false, elicitation: false }, roots: [] };
  const requests = new ServerRequests(peer, rights, () => {});
  peer.link = new StdioLink(asking.process, peer);
  await Bun.sleep(50);
  const pages = asking.pages();
  expect(pages).toBeLessThan(4);
  for (const done of read.splice(0)) done();
  while (asking.pages() === pages) await Bun.sleep(1);
  await peer.link.close();
});
