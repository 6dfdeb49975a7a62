import { describe, expect, test } from "bun:test";

import { countChecks } from "../../scripts/conformance/checks.ts";
import type { ExpectedRun } from "../../scripts/conformance/expected.ts";
import { judge } from "../../scripts/conformance/judge.ts";
import { TempFolder } from "../e2e/harness/temp-folder.ts";

const run: ExpectedRun = { name: "tasks", starts: [[]], passed: 2, skipped: 1, note: "" };
const good = { passed: 2, failed: 0, warned: 0, skipped: 1, misses: [] };

describe("judge", () => {
  test("finds nothing when the suite, its files and the demand agree", () => {
    expect(judge(run, ["Total: 2 passed, 0 failed"], good)).toEqual({
      name: "tasks",
      figures: "2 of 2 passed, 0 failed, 0 warned, 1 skipped",
      faults: [],
      output: "Total: 2 passed, 0 failed",
    });
  });

  test.each([
    [
      "fewer checks than demanded",
      "Total: 1 passed, 0 failed",
      { passed: 1 },
      ["2 checks have to pass, 1 did"],
    ],
    [
      "more checks than demanded",
      "Total: 3 passed, 0 failed",
      { passed: 3 },
      ["2 checks have to pass, 3 did"],
    ],
    [
      "a client that ended badly",
      "Passed: 2/2, 0 failed\nCLIENT EXITED WITH ERROR (code 1)",
      {},
      ["the client ended with an error"],
    ],
    [
      "a skip instead of a pass",
      "Passed: 2/2, 0 failed",
      { skipped: 2 },
      ["1 checks are known to be skipped, 2 were"],
    ],
    [
      "a suite that broke off",
      "Segmentation fault",
      {},
      ["the suite did not come to its end", "the suite says 0 passed, its files 2"],
    ],
    [
      "a failing check",
      "Total: 2 passed, 1 failed",
      { failed: 1, misses: ["FAILURE a / b: c"] },
      ["FAILURE a / b: c"],
    ],
  ])("finds %s", (_, output, found, faults) => {
    expect(judge(run, [output], { ...good, ...found }).faults).toEqual(faults);
  });
});

describe("countChecks", () => {
  test("counts each status and names what failed or warned", () => {
    using folder = new TempFolder();
    const ping = [
      { id: "a", status: "SUCCESS", description: "d" },
      { id: "b", status: "FAILURE", description: "d", errorMessage: "broken" },
    ];
    const list = [
      { id: "c", status: "WARNING", description: "should" },
      { id: "d", status: "SKIPPED", description: "d" },
      { id: "e", status: "INFO", description: "d" },
    ];
    folder.write("server-ping-2026-01-02T03-04-05-678Z/checks.json", JSON.stringify(ping));
    folder.write("server-tools-list-2026-01-02T03-04-05-678Z/checks.json", JSON.stringify(list));
    expect(countChecks(folder.path)).toEqual({
      passed: 1,
      failed: 1,
      warned: 1,
      skipped: 1,
      misses: ["FAILURE ping / b: broken", "WARNING tools-list / c: should"],
    });
  });

  test("a scenario without its file has failed", () => {
    using folder = new TempFolder();
    folder.folder("server-ping-2026-01-02T03-04-05-678Z");
    expect(countChecks(folder.path)).toMatchObject({ passed: 0, failed: 1 });
  });
});
