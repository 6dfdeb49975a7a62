import { describe, expect, test } from "bun:test";
import { CallFigures, CircuitBreaker } from "../../../src/upstream/manager/call-figures.ts";
import { ConnectionMachine } from "../../../src/upstream/manager/connection-machine.ts";
import {
  RecentFailures,
  RetrySchedule,
  StartLimit,
} from "../../../src/upstream/manager/restart-limits.ts";

const middle = (): number => 0.5;

describe("RetrySchedule", () => {
  test("GW-08: waits 1, 2, 4, 8, 16 s, is failed from the fifth on, then looks once a minute", () => {
    const schedule = new RetrySchedule(middle);
    const plans = Array.from({ length: 7 }, (_, run) => schedule.onFailure(run));
    expect(plans).toEqual([
      { state: "backoff", delayMs: 1_000 },
      { state: "backoff", delayMs: 2_000 },
      { state: "backoff", delayMs: 4_000 },
      { state: "backoff", delayMs: 8_000 },
      { state: "failed", delayMs: 16_000 },
      { state: "failed", delayMs: 60_000 },
      { state: "failed", delayMs: 60_000 },
    ]);
  });

  test.each([
    [0, 800],
    [1, 1_200],
  ])("with random %d the first wait is %d ms", (random, delayMs) => {
    expect(new RetrySchedule(() => random).onFailure(0).delayMs).toBe(delayMs);
  });

  test.each([
    [299_999, 2, 2_000],
    [300_000, 1, 1_000],
    [300_001, 1, 1_000],
  ])(
    "after %d ms of running there are %d failures, and the wait is %d ms",
    (ranMs, failures, delayMs) => {
      const schedule = new RetrySchedule(middle);
      schedule.onFailure(0);
      schedule.onConnected(10);
      const plan = schedule.onFailure(10 + ranMs);
      expect([schedule.failures, plan.delayMs]).toEqual([failures, delayMs]);
    },
  );

  test("waits at least what the server asked for", () => {
    expect(new RetrySchedule(middle).onFailure(0, 30_000).delayMs).toBe(30_000);
  });
});

test("StartLimit: the sixth start waits until ten seconds after the first", () => {
  const limit = new StartLimit();
  const waits = [0, 1_000, 2_000, 3_000, 4_000].map((now) => {
    const wait = limit.waitMs(now);
    limit.onStart(now);
    return wait;
  });
  expect(waits).toEqual([0, 0, 0, 0, 0]);
  expect([limit.waitMs(4_001), limit.waitMs(9_999), limit.waitMs(10_000)]).toEqual([5_999, 1, 0]);
});

describe("CircuitBreaker", () => {
  test("opens with the fifth timeout in a row, and lets one call through after a minute", () => {
    const breaker = new CircuitBreaker();
    for (let run = 0; run < 4; run++) breaker.onTimeout(run);
    expect(breaker.enter(4)).toBe(0);
    breaker.onTimeout(5);
    expect([breaker.enter(6), breaker.enter(60_004)]).toEqual([59_999, 1]);
    expect([breaker.enter(60_005), breaker.enter(60_006)]).toEqual([0, 60_000]);
    breaker.onTimeout(60_010);
    expect(breaker.enter(60_011)).toBe(59_999);
    expect(breaker.enter(120_010)).toBe(0);
    breaker.onAnswer();
    expect([breaker.enter(120_011), breaker.enter(120_012)]).toEqual([0, 0]);
  });

  test("an answer in between begins the count anew", () => {
    const breaker = new CircuitBreaker();
    for (let run = 0; run < 4; run++) breaker.onTimeout(run);
    breaker.onAnswer();
    breaker.onTimeout(5);
    expect(breaker.enter(6)).toBe(0);
  });

  test("a trial that was cancelled makes room for another", () => {
    const breaker = new CircuitBreaker();
    for (let run = 0; run < 5; run++) breaker.onTimeout(0);
    expect(breaker.enter(60_000)).toBe(0);
    breaker.onOther();
    expect(breaker.enter(60_001)).toBe(0);
  });
});

describe("LinkMachine", () => {
  const passing = { kind: "passing", reason: "gone" } as const;

  test("a call to a server that was never started starts it", () => {
    const machine = new ConnectionMachine(true, middle);
    expect(machine.advise(0)).toEqual({ do: "start", inMs: 0 });
    machine.onStart(0);
    expect(machine.advise(1)).toEqual({ do: "wait" });
    machine.onConnected(2);
    expect(machine.advise(3)).toEqual({ do: "use" });
  });

  test("a call waits when the next attempt is at most 5 s away, else it is refused with the time", () => {
    const machine = new ConnectionMachine(true, middle);
    for (let run = 0; run < 4; run++) machine.onFailure(run * 1_000, passing);
    expect(machine.state).toEqual({ kind: "down", as: "backoff", reason: "gone", retryAt: 11_000 });
    expect(machine.advise(5_999)).toEqual({ do: "refuse", reason: "gone", retryInMs: 5_001 });
    expect(machine.advise(6_000)).toEqual({ do: "start", inMs: 5_000 });
  });

  test("a call tries a failed server at once, once in 5 s", () => {
    const machine = new ConnectionMachine(true, middle);
    for (let run = 0; run < 6; run++) machine.onFailure(run, passing);
    machine.onStart(100_000);
    machine.onFailure(100_010, passing);
    expect(machine.advise(104_999)).toEqual({ do: "refuse", reason: "gone", retryInMs: 1 });
    expect(machine.advise(105_000)).toEqual({ do: "start", inMs: 0 });
  });

  test.each([
    ["final", "failed"],
    ["needs_auth", "needs_auth"],
  ] as const)("%s plans no attempt and is %s", (kind, as) => {
    const machine = new ConnectionMachine(true, middle);
    machine.onStart(0);
    machine.onFailure(1, { kind, reason: "403" });
    expect(machine.state).toEqual({ kind: "down", as, reason: "403", retryAt: undefined });
    expect(machine.advise(2)).toEqual({ do: "refuse", reason: "403", retryInMs: 4_998 });
    expect(machine.advise(5_000)).toEqual({ do: "start", inMs: 0 });
  });

  test("without restarts only a call tries again", () => {
    const machine = new ConnectionMachine(false, middle);
    machine.onStart(0);
    machine.onFailure(1, passing);
    expect(machine.state).toMatchObject({ as: "backoff", retryAt: undefined });
    expect(machine.advise(5_000)).toEqual({ do: "start", inMs: 0 });
  });

  test("a crash loop is never started more than 5 times in 10 s, though calls press for it", () => {
    const machine = new ConnectionMachine(true, middle);
    const starts: number[] = [];
    for (let now = 0; now < 60_000; now += 10) {
      const advice = machine.advise(now);
      if (advice.do !== "start" || advice.inMs > 0) continue;
      machine.onStart(now);
      starts.push(now);
      machine.onConnected(now);
      machine.onFailure(now, passing);
    }
    const most = starts.map(
      (from) => starts.filter((at) => at >= from && at < from + 10_000).length,
    );
    expect(Math.max(...most)).toBeLessThanOrEqual(5);
    expect(starts.length).toBeGreaterThan(5);
  });

  test("GW-08: where each call has a machine of its own, five failures in 10 s are enough for all", () => {
    const failures = new RecentFailures();
    const starts: number[] = [];
    for (let now = 0; now < 30_000; now += 100) {
      const machine = new ConnectionMachine(false, middle, failures);
      const advice = machine.advise(now);
      if (advice.do !== "start" || advice.inMs > 0) continue;
      machine.onStart(now);
      starts.push(now);
      machine.onFailure(now, passing);
    }
    expect(starts.map((at) => at % 10_000)).toEqual(
      [...Array(3)].flatMap(() => [0, 100, 200, 300, 400]),
    );
    expect([failures.reason, failures.waitMs(20_401)]).toEqual(["gone", 9_599]);
  });

  test("GW-08: every process of a start counts", () => {
    const machine = new ConnectionMachine(true, middle);
    machine.onStart(0);
    for (let more = 1; more < 5; more++) machine.onNextProcess(more);
    expect(machine.startWaitMs(5)).toBe(9_995);
  });

  test("stopped stays stopped", () => {
    const machine = new ConnectionMachine(true, middle);
    machine.onStop();
    machine.onFailure(0, passing);
    machine.reset();
    expect(machine.advise(1)).toEqual({
      do: "refuse",
      reason: "it was stopped",
      retryInMs: undefined,
    });
  });
});

test("CallFigures: counts, and percentiles of the newest 256", () => {
  const figures = new CallFigures();
  expect(figures.facts()).toEqual({
    calls: 0,
    failures: 0,
    resultBytes: 0,
    p50Ms: null,
    p95Ms: null,
  });
  for (let ms = 1; ms <= 356; ms++) figures.onAnswer(ms, 10);
  figures.onFailure();
  expect(figures.facts()).toEqual({
    calls: 357,
    failures: 1,
    resultBytes: 3_560,
    p50Ms: 228,
    p95Ms: 344,
  });
});
