import { describe, expect, test } from "bun:test";
import { failedTargets, judge } from "../../scripts/bench/judge-targets.ts";
import { targets } from "../../scripts/bench/targets.ts";
import type { VerdictState } from "../../scripts/bench/judge-targets.ts";
import type { Bound, Target } from "../../scripts/bench/targets.ts";
import { sampleRun } from "./bench-sample.ts";

const atMostValue: Bound = { kind: "value", is: "at most", value: 130 };
const atLeastValue: Bound = { kind: "value", is: "at least", value: 130 };
const atMostMultiple: Bound = { kind: "multiple", is: "at most", factor: 2, of: ["floor_echo"] };
const atLeastBest: Bound = {
  kind: "multiple",
  is: "at least",
  factor: 2,
  of: ["sdk1_bun", "sdk2_bun"],
};
const atMostBest: Bound = { ...atLeastBest, is: "at most" };
const perWorker: Bound = {
  kind: "value per unit",
  is: "at most",
  value: 8,
  each: 1.5,
  per: "liveWorkers",
  unitName: "live Worker",
};

function targetWith(bound: Bound): Target {
  return { figure: "figure", server: "scorpiox", metric: "initializeMs", bound };
}

describe("judge()", () => {
  test.each<[string, Bound, number, VerdictState, number]>([
    ["below an upper value", atMostValue, 129, "met", 129 / 130],
    ["at an upper value", atMostValue, 130, "met", 1],
    ["above an upper value", atMostValue, 131, "missed", 131 / 130],
    ["below a lower value", atLeastValue, 129, "missed", 129 / 130],
    ["at a lower value", atLeastValue, 130, "met", 1],
    ["above a lower value", atLeastValue, 131, "met", 131 / 130],
    ["below twice the floor", atMostMultiple, 19, "met", 1.9],
    ["at twice the floor", atMostMultiple, 20, "met", 2],
    ["above twice the floor", atMostMultiple, 21, "missed", 2.1],
    ["below twice the highest peer", atLeastBest, 99, "missed", 1.98],
    ["at twice the highest peer", atLeastBest, 100, "met", 2],
    ["at twice the lowest peer", atMostBest, 60, "met", 2],
    ["above twice the lowest peer", atMostBest, 61, "missed", 61 / 30],
    ["at the value for 2 Workers", perWorker, 11, "met", 1],
    ["above the value for 2 Workers", perWorker, 11.1, "missed", 11.1 / 11],
  ])("%s", (_, bound, measured, state, ratio) => {
    const run = sampleRun({
      scorpiox: { initializeMs: measured, liveWorkers: 2 },
      floor_echo: { initializeMs: 10 },
      sdk1_bun: { initializeMs: 30 },
      sdk2_bun: { initializeMs: 50 },
    });
    const target = targetWith(bound);
    expect(judge(target, run)).toEqual({ target, state, measured, ratio });
  });

  test("a figure that was not measured", () => {
    const target = targetWith(atMostValue);
    expect(judge(target, sampleRun({}))).toEqual({ target, state: "not measured" });
  });

  test("a multiple of what was not measured", () => {
    const target = targetWith(atMostMultiple);
    const run = sampleRun({ scorpiox: { initializeMs: 5 } });
    expect(judge(target, run)).toEqual({ target, state: "not measured", measured: 5 });
  });

  test("a figure without a target", () => {
    const target: Target = { figure: "figure", server: "faulty", metric: "loopReplacementMs" };
    const run = sampleRun({ faulty: { loopReplacementMs: 7 } });
    expect(judge(target, run)).toEqual({ target, state: "no target", measured: 7 });
  });

  test("another statistic than the median is judged where the target names it", () => {
    const target: Target = { ...targetWith(atMostValue), statistic: "p99" };
    const summary = { n: 9, min: 1, p50: 2, p95: 3, p99: 200, max: 300 };
    const servers = { scorpiox: { metrics: { initializeMs: summary }, notes: [] } };
    expect(judge(target, sampleRun({}, { servers })).state).toBe("missed");
  });
});

describe("failedTargets()", () => {
  const target = targetWith(atMostMultiple);
  const measured = { scorpiox: { initializeMs: 21 }, floor_echo: { initializeMs: 10 } };

  test.each<[string, Target, ReturnType<typeof sampleRun>, boolean]>([
    ["a missed target fails", target, sampleRun(measured), true],
    ["a missed wish does not", { ...target, stretch: true }, sampleRun(measured), false],
    [
      "a figure that should have been measured fails",
      target,
      sampleRun({ scorpiox: {}, floor_echo: {} }),
      true,
    ],
    [
      "an absent server that was asked for fails",
      target,
      sampleRun({ floor_echo: {} }, { skipped: { scorpiox: "there is none" } }),
      true,
    ],
    ["a server that was not chosen does not", target, sampleRun({ floor_echo: {} }), false],
    ["a reference that was not chosen does not", target, sampleRun({ scorpiox: {} }), false],
    [
      "a phase that was not chosen does not",
      target,
      sampleRun({ scorpiox: {}, floor_echo: {} }, { phases: ["calls"] }),
      false,
    ],
  ])("%s", (_, target, run, fails) => {
    const verdict = judge(target, run);
    expect(failedTargets([verdict], run)).toEqual(fails ? [verdict] : []);
  });
});

test("no two targets say the same thing", () => {
  const figures = targets.map((target) => target.figure);
  expect(figures).toEqual([...new Set(figures)]);
});
