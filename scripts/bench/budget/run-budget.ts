import { writeFileSync } from "node:fs";
import path from "node:path";

import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { buildCommit, buildWorkingTree } from "../binaries.ts";
import { describeMachine } from "../machine.ts";
import { measureMemory } from "./measure.ts";
import type { BudgetOptions } from "./options.ts";
import { Side } from "./side.ts";
import { budgetTable, failuresOf, undecidedOf } from "./table.ts";
import { inTurns, verdictsOf } from "./turns.ts";

/** Measures this checkout beside an earlier commit. Returns the exit code: 1 when a figure got worse. */
export async function runBudget(options: BudgetOptions): Promise<number> {
  const { processor, cores, bun, load } = describeMachine();
  using folder = new TempFolder();
  const { baseBinary, binary, commit, env } = options;
  progress("building");
  using before = new Side(baseBinary ?? buildCommit(commit, folder.at("before")), env);
  using now = new Side(binary ?? buildWorkingTree(folder.at("now")), env);
  const { parts, turns } = options;
  const inTurn = parts.filter((part) => part !== "memory");
  const measured = await inTurns({ before, now }, inTurn, turns, progress);
  if (parts.includes("memory")) {
    progress("memory, which takes a minute");
    measured.push(...(await measureMemory({ before, now })));
  }
  const verdicts = verdictsOf(measured);
  const base = baseBinary === undefined ? commit : path.basename(baseBinary);
  const where = `${options.oneProcessor ? "one of " : ""}${cores} cores (${processor}), Bun ${bun}`;
  const average = load.map((value) => value.toFixed(2)).join(" ");
  console.log(`${budgetTable(verdicts)}\n\nAgainst ${base}: ${where}, load ${average}.`);
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ verdicts, turns: measured }, undefined, 1)}\n`);
  }
  const failures = failuresOf(verdicts);
  for (const line of [...undecidedOf(verdicts), ...failures])
    process.stderr.write(`bench: ${line}\n`);
  return failures.length === 0 ? 0 : 1;
}

function progress(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}
