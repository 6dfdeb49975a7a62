import { describe, expect, test } from "bun:test";

import type { EngineSuspension } from "../../../src/state/store/tables.ts";
import { nextSuspension, type SuspensionVerdict } from "../../../src/web/search/suspension-book.ts";

const challenge: SuspensionVerdict = { kind: "challenge", reason: "captcha" };
const denied: SuspensionVerdict = { kind: "denied", reason: "HTTP 403" };
const fault: SuspensionVerdict = { kind: "fault", reason: "timeout" };
const poisoned: SuspensionVerdict = { kind: "poisoned", reason: "poisoned" };
const throttled = (waitMs?: number): SuspensionVerdict => ({
  kind: "throttled",
  reason: "HTTP 429",
  waitMs,
});

/** Seconds of each suspension when every probe fails in the same way. */
function secondsOf(verdict: SuspensionVerdict, times: number): number[] {
  const seconds: number[] = [];
  let present: EngineSuspension | undefined;
  let nowMs = 1_000;
  for (let time = 0; time < times; time++) {
    present = nextSuspension("brave", present, verdict, { nowMs, isProbe: time > 0 });
    seconds.push(((present?.untilMs ?? 0) - nowMs) / 1000);
    nowMs = present?.untilMs ?? 0;
  }
  return seconds;
}

describe("nextSuspension()", () => {
  test.each([
    ["challenge", challenge, [3600, 7200, 14_400, 28_800, 57_600, 86_400, 86_400]],
    ["denied", denied, [180, 360, 720, 1440, 2880, 3600, 3600]],
    ["fault", fault, [5, 10, 20, 40, 80, 120, 120]],
    ["poisoned", poisoned, [600, 600]],
    ["throttled, nothing said", throttled(), [180, 180]],
    ["throttled, a time said", throttled(42_000), [42, 42]],
    ["throttled, nothing to wait", throttled(0), [1]],
    ["throttled, at the cap", throttled(3_600_000), [3600]],
    ["throttled, above the cap", throttled(90_000_000), [3600]],
  ])("%s", (_, verdict, seconds) => {
    expect(secondsOf(verdict, seconds.length)).toEqual([...seconds]);
  });

  const present = nextSuspension("brave", undefined, challenge, { nowMs: 0, isProbe: false });
  const probing = present && { ...present, probeUntilMs: 4_000_000 };

  test("a probe that succeeds ends it, and the counters with it", () => {
    const after = nextSuspension(
      "brave",
      probing,
      { kind: "healthy" },
      { nowMs: 4e6, isProbe: true },
    );
    expect(after).toBeUndefined();
  });

  test("a probe that was not heard out leaves it as it was, for the next", () => {
    const after = nextSuspension(
      "brave",
      probing,
      { kind: "unknown" },
      { nowMs: 4e6, isProbe: true },
    );
    expect(after).toEqual(present);
  });

  test("an answer to a question from before changes nothing", () => {
    for (const kind of ["healthy", "unknown"] as const) {
      const after = nextSuspension("brave", present, { kind }, { nowMs: 1, isProbe: false });
      expect(after).toEqual(present);
    }
  });

  test("failures of questions that were under way together count as one", () => {
    const again = nextSuspension("brave", present, challenge, { nowMs: 10, isProbe: false });
    expect(again).toEqual(present && { ...present, untilMs: 3_600_010 });
    const lesser = nextSuspension("brave", present, fault, { nowMs: 10, isProbe: false });
    expect(lesser).toEqual(present);
  });

  test("each kind of failure has its own count", () => {
    const broken = nextSuspension("brave", probing, fault, { nowMs: 4e6, isProbe: true });
    const again = nextSuspension("brave", broken, challenge, { nowMs: 5e6, isProbe: true });
    expect(again).toEqual({
      engine: "brave",
      reason: "captcha",
      untilMs: 5e6 + 7_200_000,
      probeUntilMs: 0,
      challenges: 2,
      denials: 0,
      faults: 1,
    });
  });
});
