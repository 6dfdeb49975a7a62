import { expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { JsonText } from "../../../src/base/weight.ts";
import { heavyPagesMax, heavyPageWeight } from "../../../src/base/limits.ts";
import { PageTurn } from "../../../src/calls/router/distant-calls.ts";

const heavy = new JsonText("x".repeat(heavyPageWeight + 1));
const light = new JsonText("<p>".repeat(1_000));

/** Whether it has its page by the next turn of the loop. */
async function hasCome(page: Promise<unknown>): Promise<boolean> {
  const waiting = Symbol("waiting");
  return (await Promise.race([page, Bun.sleep(0).then(() => waiting)])) !== waiting;
}

test("as many heavy pages as may are read, the next waits for a call to end", async () => {
  const calls = Array.from({ length: heavyPagesMax }, () => new PageTurn());
  for (const call of calls) expect(await call.await(heavy, new Cancellation())).toBe(heavy);
  const [first] = calls;
  // The browser's page of the same call.
  expect(await first!.await(heavy, new Cancellation())).toBe(heavy);
  const next = new PageTurn();
  const page = next.await(heavy, new Cancellation());
  expect(await hasCome(page)).toBe(false);
  expect(await new PageTurn().await(light, new Cancellation())).toBe(light);
  first![Symbol.dispose]();
  expect(await page).toBe(heavy);
  for (const call of [...calls, next]) call[Symbol.dispose]();
});

test("one that is cancelled or over takes no turn with it", async () => {
  const calls = Array.from({ length: heavyPagesMax }, () => new PageTurn());
  for (const call of calls) await call.await(heavy, new Cancellation());
  const cancellation = new Cancellation();
  const cancelled = new PageTurn().await(heavy, cancellation);
  const over = new PageTurn();
  const late = over.await(heavy, new Cancellation());
  cancellation.cancel();
  expect(cancelled).rejects.toThrow("cancelled");
  over[Symbol.dispose]();
  for (const call of calls) call[Symbol.dispose]();
  expect(await late).toBe(heavy);
  const later = Array.from({ length: heavyPagesMax }, () => new PageTurn());
  for (const call of later) expect(await call.await(heavy, new Cancellation())).toBe(heavy);
  for (const call of later) call[Symbol.dispose]();
});
