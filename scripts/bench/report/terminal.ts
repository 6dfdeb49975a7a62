import type { RunResult } from "../result.ts";
import type { Verdict } from "../judge-targets.ts";
import { comparisonTables } from "./comparison-tables.ts";
import { machineLine } from "./machine-line.ts";
import { noteLines } from "./notes.ts";
import { targetTable } from "./target-table.ts";

/** What a run prints to standard output. */
export function terminalReport(result: RunResult, verdicts: readonly Verdict[]): string {
  const parts = [machineLine(result), targetTable(verdicts), comparisonTables(result)];
  const notes = noteLines(result).join("\n");
  return [...parts, notes].filter((part) => part !== "").join("\n\n");
}
