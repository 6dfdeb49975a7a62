import { expect, test } from "bun:test";
import { RatePerSecond } from "../../src/base/rate-per-second.ts";

test("RatePerSecond: each client has its own bound in each second", () => {
  let now = 0;
  const rate = new RatePerSecond(2, () => now);
  expect(["a", "a", "a", "b"].map((client) => rate.take(client))).toEqual([
    true,
    true,
    false,
    true,
  ]);
  now = 999;
  expect(rate.take("a")).toBe(false);
  now = 1000;
  expect(["a", "a", "a"].map((client) => rate.take(client))).toEqual([true, true, false]);
});
