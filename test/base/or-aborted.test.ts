import { expect, test } from "bun:test";

import { orAborted } from "../../src/base/cancellation.ts";

const never = new Promise<never>(() => {});

test("gives what was promised, and its failure", async () => {
  const { signal } = new AbortController();
  expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
  expect(orAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
});

test("an abort, before or meanwhile, ends the wait", async () => {
  const controller = new AbortController();
  const waiting = orAborted(never, controller.signal);
  controller.abort();
  expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  expect(orAborted(never, controller.signal)).rejects.toMatchObject({ code: "cancelled" });
});
