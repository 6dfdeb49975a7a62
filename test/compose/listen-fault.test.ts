import { expect, test } from "bun:test";

import { listenFault } from "../../src/compose/listening.ts";

test("a port that is taken is said to be, with what to do", () => {
  using taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = taken;
  const again = (): unknown =>
    Bun.serve({ hostname: "127.0.0.1", port, reusePort: false, fetch: () => new Response() });
  expect(listenFault(`127.0.0.1:${port}`, errorOf(again)).message).toBe(
    `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another one with --http, or 0 for a free one.`,
  );
});

test.each([
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["EACCES", "Choose a higher one"],
  ["EMFILE", "too many. Choose another address or port with --http."],
])("%s: %s", (code, text) => {
  expect(listenFault("x:1", Object.assign(new Error("too many"), { code })).message).toContain(
    text,
  );
});

function errorOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
