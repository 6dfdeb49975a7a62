import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createGuard } from "../../../../src/web/guard/create-guard.ts";
import { type GuardProxy, type NetworkGuard } from "../../../../src/web/guard/network-guard.ts";
import { exchange, RawServer } from "../local-parts.ts";
import { shareOf } from "../../../fixtures/long-run.ts";

let guard: NetworkGuard;
let proxy: GuardProxy;
/** Answers with whatever is in `answer`. */
let server: RawServer;
let answer: Buffer = Buffer.alloc(0);

beforeAll(async () => {
  server = await RawServer.start((socket) => {
    socket.once("data", () => socket.end(answer));
  });
  guard = createGuard({
    allowHosts: ["page.test"],
    proxyEnv: {},
    resolve: async () => ["127.0.0.1"],
  });
  proxy = await guard.openProxy();
  proxy.serve(new URL(`http://page.test:${server.port}/`));
});
afterAll(async () => {
  await guard[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const ask = (...sent: readonly Buffer[]): Promise<string> =>
  exchange(Number(new URL(proxy.url).port), ...sent);

/** Pieces that heads are made of, in orders that nobody expects. */
const piece = fc.oneof(
  fc.constantFrom(
    "GET ",
    "CONNECT ",
    "HTTP/1.1",
    "http://page.test/",
    "\r\n",
    "\n",
    "\r",
    ":",
    " ",
    "\t",
  ),
  fc.constantFrom(
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
  ),
  fc.constantFrom(
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 103 X\r\n\r\n",
    "HTTP/1.1 101 X\r\n\r\n",
    "\r\n\r\n",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const text = fc
  .array(piece, { maxLength: 12 })
  .map((pieces) => Buffer.from(pieces.join(""), "latin1"));

test("whatever a client says, it is answered and nothing is asked for it", async () => {
  const before = server.accepted;
  await fc.assert(
    fc.asyncProperty(text, async (said) => {
      expect(await ask(said, Buffer.from("\r\n\r\n"))).toMatch(/^HTTP\/1\.1 (400|407|411|501) /);
    }),
    { numRuns: shareOf(150) },
  );
  expect(server.accepted).toBe(before);
});

test("whatever a server says, its client hears HTTP that ends", async () => {
  const credential = btoa(`${proxy.username}:${proxy.password}`);
  const start = `GET http://page.test:${server.port}/ HTTP/1.1\r\n`;
  const request = Buffer.from(`${start}Proxy-Authorization: Basic ${credential}\r\n\r\n`);
  await fc.assert(
    fc.asyncProperty(text, async (said) => {
      answer = said;
      const heard = await ask(request);
      expect(heard).toMatch(/^HTTP\/1\.[01] [1-5]\d\d/);
      expect(heard).not.toMatch(/^HTTP\/1\.[01] (101|407)/);
    }),
    { numRuns: shareOf(150) },
  );
});
