import { afterEach, describe, expect, jest, spyOn, test } from "bun:test";

import { startTimer } from "../../src/base/cancellation.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

/** Replaces the clock and `setTimeout`; gives the delays that were asked for, and what lets time pass. */
function fakeClock(): { delays: number[]; pass: (ms: number) => void } {
  let now = 0;
  let waiting: (() => void) | undefined;
  const delays: number[] = [];
  spyOn(performance, "now").mockImplementation(() => now);
  const fakeTimeout = (act: () => void, ms: number): object => {
    delays.push(ms);
    waiting = act;
    return { unref: () => {} };
  };
  spyOn(globalThis, "setTimeout").mockImplementation(fakeTimeout as unknown as typeof setTimeout);
  const pass = (ms: number): void => {
    now += ms;
    const act = waiting;
    waiting = undefined;
    act?.();
  };
  return { delays, pass };
}

describe("startTimer()", () => {
  test("a long delay is made of steps of at most a minute and fires once, when it is over", () => {
    const { delays, pass } = fakeClock();
    let fired = 0;
    startTimer(150_000, () => fired++);
    pass(60_000);
    pass(60_000);
    expect([delays, fired]).toEqual([[60_000, 60_000, 30_000], 0]);
    pass(30_000);
    pass(30_000);
    expect([delays, fired]).toEqual([[60_000, 60_000, 30_000], 1]);
  });

  test("a step that ends early is followed by the rest", () => {
    const { delays, pass } = fakeClock();
    let fired = 0;
    startTimer(100, () => fired++);
    pass(99);
    expect([delays, fired]).toEqual([[100, 1], 0]);
    pass(1);
    expect(fired).toBe(1);
  });

  test.each([0, -5, 1])("a delay of %d ms fires soon, and never at once", async (delayMs) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isFired = false;
    startTimer(delayMs, () => {
      isFired = true;
      resolve();
    });
    expect(isFired).toBe(false);
    await promise;
  });

  test("2^31 ms do not fire at once, and stop() ends it twice as well as once", async () => {
    let isFired = false;
    const timer = startTimer(2 ** 31, () => (isFired = true));
    await Bun.sleep(10);
    timer.stop();
    timer.stop();
    expect(isFired).toBe(false);
  });
});
