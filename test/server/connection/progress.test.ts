import { describe, expect, test } from "bun:test";
import { progressHeartbeatMs, progressPerSecondMax } from "../../../src/base/limits.ts";
import type { ProtocolVersion } from "../../../src/protocol/message.ts";
import { ProgressReporter, type ProgressClock } from "../../../src/server/connection/progress.ts";

/** A clock that stands still until it is told how far to go. */
class TestClock implements ProgressClock {
  #now = 0;
  #timers: { at: number; fire: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  startTimer(delayMs: number, fire: () => void): { stop(): void } {
    const timer = { at: this.#now + delayMs, fire };
    this.#timers.push(timer);
    return { stop: () => (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#timers.shift();
      this.#now = next.at;
      next.fire();
    }
    this.#now = end;
  }
}

interface SentProgress {
  readonly at: number;
  readonly progress: number;
  readonly message?: string;
  readonly total?: number | null;
}

function readParams(text: string): Omit<SentProgress, "at"> {
  const { params }: { params: Omit<SentProgress, "at"> } = JSON.parse(text);
  return params;
}

function start(version: ProtocolVersion = "2025-06-18") {
  const clock = new TestClock();
  const sent: SentProgress[] = [];
  const outbox = {
    isCongested: false,
    send: (text: string) => {
      const { progress, message, total } = readParams(text);
      sent.push({
        at: clock.now(),
        progress,
        ...(message === undefined ? {} : { message }),
        ...(total === undefined ? {} : { total }),
      });
    },
  };
  return { clock, sent, outbox, reporter: new ProgressReporter("t", version, outbox, clock) };
}

describe("ProgressReporter", () => {
  test("joins messages that come too fast", () => {
    const { clock, sent, reporter } = start();
    for (const message of ["a", "b", "c"]) reporter.report(message);
    clock.advance(1000);
    reporter.report("d");
    expect(sent).toEqual([
      { at: 0, progress: 1, message: "a" },
      { at: 112, progress: 2, message: "b\nc" },
      { at: 1000, progress: 3, message: "d" },
    ]);
  });

  test("stays within the rate in each second and loses nothing", () => {
    const { clock, sent, reporter } = start();
    const messages = Array.from({ length: 3000 }, (_, number) => `${number}`);
    for (const message of messages) {
      reporter.report(message);
      clock.advance(1);
    }
    reporter.finish();
    for (const { at } of sent) {
      const inSecond = sent.filter((other) => other.at >= at && other.at < at + 1000);
      expect(inSecond.length).toBeLessThanOrEqual(progressPerSecondMax);
    }
    expect(sent.map(({ message }) => message).join("\n")).toBe(messages.join("\n"));
    expect(sent.map(({ progress }) => progress)).toEqual(sent.map((_, index) => index + 1));
  });

  test.each([
    [progressHeartbeatMs - 1, 0],
    [progressHeartbeatMs, 1],
    [2 * progressHeartbeatMs, 2],
  ])("after %d ms of silence %d heartbeats were sent", (ms, count) => {
    const { clock, sent } = start();
    clock.advance(ms);
    expect(sent.length).toBe(count);
  });

  test("a heartbeat says how long it has been", () => {
    const { clock, sent, reporter } = start();
    clock.advance(5000);
    reporter.report("a");
    clock.advance(progressHeartbeatMs);
    expect(sent).toEqual([
      { at: 5000, progress: 1, message: "a" },
      { at: 14_000, progress: 2, message: "Still running after 14 s" },
    ]);
  });

  test("HP12: leaves the message out for 2024-11-05", () => {
    const { sent, reporter } = start("2024-11-05");
    reporter.report("a");
    expect(sent).toEqual([{ at: 0, progress: 1 }]);
  });

  test.each(["finish", "stop"] as const)("sends nothing after %s()", (method) => {
    const { clock, sent, reporter } = start();
    reporter.report("a");
    reporter[method]();
    reporter.report("b");
    clock.advance(3 * progressHeartbeatMs);
    expect(sent).toEqual([{ at: 0, progress: 1, message: "a" }]);
  });

  test("waits while the reader is slow, in bounded memory", () => {
    const { clock, sent, outbox, reporter } = start();
    outbox.isCongested = true;
    for (let count = 0; count < 1000; count += 1) reporter.report("x".repeat(1000));
    clock.advance(60_000);
    expect(sent).toEqual([]);
    outbox.isCongested = false;
    clock.advance(1000);
    expect(sent.length).toBe(1);
    expect(sent[0]?.message?.length).toBeLessThan(70_000);
  });
});

describe("ProgressReporter, numbers of the work's own", () => {
  test("go out as they come, with what has waited as text", () => {
    const { sent, reporter } = start();
    reporter.report({ progress: 0, total: 100 });
    reporter.report("half");
    reporter.report({ progress: 50, message: "way" });
    reporter.report({ progress: 100 });
    expect(sent).toEqual([
      { at: 0, progress: 0, total: 100 },
      { at: 0, progress: 50, message: "half\nway" },
      { at: 0, progress: 100 },
    ]);
  });

  test("stay within the rate: of those that come too fast the newest is sent", () => {
    const { clock, sent, reporter } = start();
    for (let progress = 0; progress < 1000; progress++) reporter.report({ progress });
    expect(sent.map(({ progress }) => progress)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    clock.advance(1000);
    expect(sent.at(-1)).toEqual({ at: 1000, progress: 999 });
    expect(sent.length).toBe(progressPerSecondMax + 1);
  });

  test("the last one comes before the end, whatever the rate", () => {
    const { sent, reporter } = start();
    for (let progress = 0; progress <= 100; progress++) reporter.report({ progress });
    reporter.finish();
    expect(sent.at(-1)).toEqual({ at: 0, progress: 100 });
  });

  test("increase strictly: what does not is left out", () => {
    const { sent, reporter } = start();
    for (const progress of [1, 1, 0, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_VALUE, 2]) {
      reporter.report({ progress });
    }
    expect(sent.map(({ progress }) => progress)).toEqual([1, 2]);
  });

  test("fractions after a heartbeat are added to it, and a heartbeat does not overtake them", () => {
    const { clock, sent, reporter } = start();
    clock.advance(progressHeartbeatMs);
    reporter.report({ progress: 0.1, total: 1 });
    clock.advance(progressHeartbeatMs);
    reporter.report({ progress: 0.5, total: 1 });
    reporter.report({ progress: 1, total: 1 });
    expect(sent.map(({ progress }) => progress)).toEqual([1, 1.1, 1.101, 1.5, 2]);
  });

  test.each([
    [
      "at its total",
      [{ progress: 50, total: 100 }, { progress: 100 }],
      [50, 100, 100.001, 100.002],
    ],
    ["a hair before its total", [{ progress: 99.9995, total: 100 }], [99.9995, 100.0005, 100.0015]],
    ["at a total beyond a heartbeat", [{ progress: 1, total: 1 }], [1, 1.001, 1.002]],
  ])("work that is silent %s is heard of, without a total", (_, updates, expected) => {
    const { clock, sent, reporter } = start();
    for (const update of updates) reporter.report(update);
    clock.advance(2 * progressHeartbeatMs);
    expect(sent.map(({ progress }) => Number(progress.toFixed(6)))).toEqual(expected);
    expect(sent.slice(-2).map(({ message, total }) => [message, total])).toEqual([
      ["Still running after 9 s", undefined],
      ["Still running after 18 s", undefined],
    ]);
  });

  test.each([Number.POSITIVE_INFINITY, Number.NaN, Number.MAX_VALUE])("%d is no total", (total) => {
    const { sent, reporter } = start();
    reporter.report({ progress: 1, total });
    expect(sent).toEqual([{ at: 0, progress: 1 }]);
  });

  test.each([9_007_199_254_740_000, -9_007_199_254_740_000])(
    "heartbeats after %d increase",
    (progress) => {
      const { clock, sent, reporter } = start();
      reporter.report({ progress });
      clock.advance(2 * progressHeartbeatMs);
      const [first = 0, second = 0, third = 0] = sent.map((each) => each.progress);
      expect([second > first, third > second]).toEqual([true, true]);
    },
  );

  test("heartbeats do not overtake the work that counts on behind its first total", () => {
    const { clock, sent, reporter } = start();
    reporter.report({ progress: 3, total: 3 });
    reporter.report("flushing");
    clock.advance(2 * progressHeartbeatMs);
    reporter.report({ progress: 4, total: 8 });
    clock.advance(progressHeartbeatMs);
    expect(sent.map(({ progress }) => Number(progress.toFixed(6)))).toEqual([
      3, 3.001, 3.002, 4, 4.001,
    ]);
  });
});
