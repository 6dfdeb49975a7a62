import type { CheckCounts } from "./checks.ts";
import type { ExpectedRun } from "./expected.ts";

export interface RunOutcome {
  readonly name: string;
  /** `84 of 84 passed, 0 failed, …`. */
  readonly figures: string;
  /** What is wrong; empty when the run is as expected. */
  readonly faults: readonly string[];
  /** All that the suite printed. */
  readonly output: string;
}

/** Compares what the suite printed, what it wrote and what is demanded: all three have to agree. */
export function judge(
  run: ExpectedRun,
  outputs: readonly string[],
  counts: CheckCounts,
): RunOutcome {
  const { passed, failed, warned, skipped, misses } = counts;
  const totals = outputs.map(printedTotal);
  const printed = totals.reduce<number>((sum, total) => sum + (total ?? 0), 0);
  const faults = [...misses];
  if (totals.includes(undefined)) faults.push("the suite did not come to its end");
  // A scenario that broke off has written no file.
  if (printed !== passed) faults.push(`the suite says ${printed} passed, its files ${passed}`);
  if (passed !== run.passed) faults.push(`${run.passed} checks have to pass, ${passed} did`);
  if (skipped !== run.skipped) {
    faults.push(`${run.skipped} checks are known to be skipped, ${skipped} were`);
  }
  if (outputs.some((output) => output.includes("CLIENT EXITED WITH ERROR"))) {
    faults.push("the client ended with an error");
  }
  const figures = `${passed} of ${run.passed} passed, ${failed} failed, ${warned} warned, ${skipped} skipped`;
  return { name: run.name, figures, faults, output: outputs.join("\n") };
}

/** `Total: N passed, M failed` of a set of scenarios, or `Passed: N/M` of a single one. */
function printedTotal(output: string): number | undefined {
  const match =
    /^Total: (\d+) passed, \d+ failed$/m.exec(output) ?? /^Passed: (\d+)\/\d+/m.exec(output);
  return match === null ? undefined : Number(match[1]);
}
