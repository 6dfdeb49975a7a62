import { describe, expect, test } from "bun:test";

import { Peer } from "../../../src/upstream/connect/peer.ts";
import { ServerRequests } from "../../../src/upstream/connect/server-requests.ts";
import { StdioClientTransport } from "../../../src/upstream/connect/stdio-transport.ts";
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
    [Symbol.asyncDispose]: () => Promise.resolve(),
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
  const rights = {
    mayAsk: { sampling: false, elicitation: false },
    roots: { isAsked: true, known: () => [] },
  };
  const requests = new ServerRequests(peer, rights, { onStray: () => {} });
  peer.transport = new StdioClientTransport(asking.process, peer);
  await Bun.sleep(50);
  const pages = asking.pages();
  expect(pages).toBeLessThan(4);
  for (const done of read.splice(0)) done();
  while (asking.pages() === pages) await Bun.sleep(1);
  await peer.transport.close();
});

/** What arrives of `lines` that a server writes at once, before it ends. */
async function heardOf(
  lines: readonly string[],
): Promise<{ messages: unknown[]; strays: string[] }> {
  const heard = { messages: [] as unknown[], strays: [] as string[] };
  const process: UpstreamProcess = {
    pid: 1,
    output: new Response(lines.map((line) => `${line}\n`).join("")).body ?? new ReadableStream(),
    write: async () => {},
    endInput: () => {},
    ended: Promise.resolve({ exitCode: 0, signal: null }),
    stderrTail: () => [],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const closed = Promise.withResolvers<void>();
  const link = new StdioClientTransport(process, {
    onMessage: (message) => void heard.messages.push(message),
    onLost: () => {},
    onStray: (text) => void heard.strays.push(text),
    onClosed: () => closed.resolve(),
  });
  await closed.promise;
  await link.close();
  return heard;
}

describe("a server that chatters [GW-36]", () => {
  const log = { method: "notifications/message", params: { level: "info", data: "x" } };
  const answer = { jsonrpc: "2.0", id: 1, result: { method: "notifications/message" } };
  const logsOf = (count: number, spelled: string): string[] => Array(count).fill(spelled);

  test.each<[string, string]>([
    ["as most libraries write them", JSON.stringify({ jsonrpc: "2.0", ...log })],
    ["the method first", JSON.stringify({ ...log, jsonrpc: "2.0" })],
    ["with blanks", `{ "jsonrpc": "2.0", "method": "notifications/message" }`],
    ["the method last", `{"params":{},"method":"notifications/message"}`],
  ])("of its log messages 100 in a second are read: %s", async (_, spelled) => {
    const lines = [...logsOf(200, spelled), JSON.stringify(answer), ...logsOf(50, spelled)];
    const { messages, strays } = await heardOf(lines);
    expect({ logs: messages.length - 1, others: messages.slice(100), strays }).toEqual({
      logs: 100,
      others: [answer],
      strays: ["150 log messages left out here: more than 100 came within a second."],
    });
  });

  test("other messages that begin as they do are read", async () => {
    const spelled = JSON.stringify({ jsonrpc: "2.0", ...log });
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    const { messages } = await heardOf([...logsOf(150, spelled), JSON.stringify(changed), "[]"]);
    expect(messages.slice(100)).toEqual([changed, []]);
  });

  test("of its lines that are no messages 1,000 in a second are told", async () => {
    const noise = Array.from({ length: 1_500 }, (_, at) => `line ${at}`);
    const { messages, strays } = await heardOf([
      ...noise,
      "",
      JSON.stringify(answer),
      "{no",
      "\u001b[1m",
    ]);
    expect({ messages, first: strays[0], count: strays.length, last: strays.at(-1) }).toEqual({
      messages: [answer],
      first: "line 0",
      count: 1_001,
      last: "502 stray lines left out here: more than 1,000 came within a second.",
    });
  });
});
