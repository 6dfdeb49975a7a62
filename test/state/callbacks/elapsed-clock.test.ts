import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import * as fc from "fast-check";

import { ElapsedClock } from "../../../src/state/callbacks/callback-scheduler.ts";
import { FakeTime } from "./fake-time.ts";

const hourMs = 3_600_000;

afterEach(() => void setSystemTime());

describe("ElapsedClock", () => {
  test("goes on with the machine, without steps", () => {
    const time = new FakeTime();
    const clock = new ElapsedClock(time.sources);
    const start = clock.now();
    for (const ms of [1, 0, 250, 999.5, 60_000, hourMs]) {
      const before = clock.now();
      time.pass(ms);
      expect(clock.now() - before).toBeCloseTo(ms, 6);
    }
    expect(clock.now()).toBeGreaterThan(start);
  });

  test.each([
    [2_749, 0],
    [2_750, 2_000],
    [10_000, 9_000],
    [8 * hourMs, 8 * hourMs - 1_000],
  ])("of a sleep of %d ms counts %d", (ms, counted) => {
    const time = new FakeTime();
    const clock = new ElapsedClock(time.sources);
    const before = clock.now();
    time.sleep(ms);
    expect(clock.now() - before).toBe(counted);
  });

  test("is never ahead of the time that has passed, never goes back, and lags by three seconds at most", () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom("pass" as const, "sleep" as const), fc.nat(20_000)),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (moves) => {
        const time = new FakeTime();
        const clock = new ElapsedClock(time.sources);
        const start = clock.now();
        let passed = 0;
        let last = start;
        for (const [how, ms] of moves) {
          time[how](ms);
          passed += ms;
          const now = clock.now();
          expect(now).toBeGreaterThanOrEqual(last);
          expect(now - start).toBeLessThanOrEqual(passed + 0.001);
          expect(now - start).toBeGreaterThan(passed - 3_000);
          last = now;
        }
      }),
    );
  });

  test("of the machine agrees with the monotonic clock while nothing sleeps", () => {
    const clock = new ElapsedClock();
    const [before, begun] = [clock.now(), performance.now()];
    Bun.sleepSync(20);
    const [after, ended] = [clock.now(), performance.now()];
    expect(Math.abs(after - before - (ended - begun))).toBeLessThan(5);
  });

  test.each(["1970-01-02", "2001-01-01", "2099-12-31"])(
    "of the machine does not notice that the time of day is set to %s",
    (date) => {
      const clock = new ElapsedClock();
      const before = clock.now();
      setSystemTime(new Date(date));
      expect(clock.now() - before).toBeLessThan(1_000);
    },
  );

  test("a machine whose time since its start goes back or stands still only loses sleep", () => {
    const time = new FakeTime();
    const clock = new ElapsedClock(time.sources);
    const before = clock.now();
    time.uptimeMs = 0;
    expect(clock.now()).toBe(before);
    time.pass(1_000);
    expect(clock.now() - before).toBe(1_000);
  });
});
