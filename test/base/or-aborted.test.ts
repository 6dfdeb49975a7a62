import { expect, test } from "bun:test";

import { Cancellation, orAborted } from "../../src/base/cancellation.ts";
import { AppError } from "../../src/base/errors.ts";

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

test("a Cancellation ends the wait as well, with the error that is wanted", async () => {
  const cancellation = new Cancellation();
  const error = new AppError("cancelled", "Stopped by hand.");
  const waiting = orAborted(never, cancellation, () => error);
  cancellation.cancel();
  expect(waiting).rejects.toBe(error);
  expect(orAborted(never, cancellation)).rejects.toThrow("The call was cancelled.");
});
