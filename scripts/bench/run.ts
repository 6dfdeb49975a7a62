#!/usr/bin/env bun
/** `bun run bench`: see --help. Exit codes: 0 done, 1 a target was missed (--check), a figure got worse (--against) or the run failed, 2 wrong usage. */
import fs from "node:fs";
import { availableParallelism } from "node:os";
import { messageOf } from "../../src/base/errors.ts";
import { isBudget, parseBudgetOptions } from "./budget/options.ts";
import { runBudget } from "./budget/run-budget.ts";
import { parseGrowthOptions, runGrowth } from "./growth/run-growth.ts";
import { closeAllServers } from "./client/open-servers.ts";
import { measure } from "./measure.ts";
import { helpText, parseOptions } from "./options.ts";
import type { Options } from "./options.ts";
import { paths } from "./paths.ts";
import { emptyDocument, fillDocument } from "./report/document.ts";
import { injectBetweenMarkers, readmeFigures } from "./report/readme.ts";
import { terminalReport } from "./report/terminal.ts";
import { isRunResult } from "./result.ts";
import type { RunResult } from "./result.ts";
import { failedTargets, judge } from "./judge-targets.ts";
import { targets } from "./targets.ts";

const exitCodeOfSignal = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

async function main(options: Options): Promise<number> {
  const result = options.from === undefined ? await measure(options) : loadRun(options.from);
  if (options.from === undefined) {
    fs.writeFileSync(options.json, `${JSON.stringify(result, undefined, 1)}\n`);
  }
  const verdicts = targets.map((target) => judge(target, result));
  console.log(terminalReport(result, verdicts));
  if (options.write) writeDocuments(result);
  if (!options.check) return 0;
  const failed = failedTargets(verdicts, result);
  for (const { target, state } of failed)
    process.stderr.write(`bench: ${state}: ${target.figure}\n`);
  return failed.length === 0 ? 0 : 1;
}

/** Throws when the file was not saved by a run. */
function loadRun(file: string): RunResult {
  const saved: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
  if (isRunResult(saved)) return saved;
  throw new Error(`${file} is not a saved run: --from takes what --json wrote`);
}

function writeDocuments(result: RunResult): void {
  const written = [paths.document];
  fs.writeFileSync(paths.document, fillDocument(readText(paths.document) ?? emptyDocument, result));
  const readme = injectBetweenMarkers(readText(paths.readme) ?? "", readmeFigures(result));
  if (readme !== undefined) {
    fs.writeFileSync(paths.readme, readme);
    written.push(paths.readme);
  }
  const format = [process.execPath, "fmt", "--no-script", ...written];
  Bun.spawnSync(format, { cwd: paths.repository });
}

function readText(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

/** Throws an `Error` that names the argument when one is not acceptable. */
function commandOf(args: readonly string[]): () => number | Promise<number> {
  if (isBudget(args)) {
    const options = parseBudgetOptions(args);
    if (options.oneProcessor && availableParallelism() > 1) return () => onOneProcessor(args);
    return () => runBudget(options);
  }
  if (args.includes("--growth")) {
    const options = parseGrowthOptions(args);
    return () => runGrowth(options);
  }
  const options = parseOptions(args, process.env);
  if (!options.help) return () => main(options);
  return () => {
    console.log(helpText());
    return 0;
  };
}

/** The same again, with all that it starts, where threads hand over to each other without waking a processor. */
function onOneProcessor(args: readonly string[]): number {
  const command = ["taskset", "-c", "0", process.execPath, import.meta.filename, ...args];
  return Bun.spawnSync(command, { stdio: ["inherit", "inherit", "inherit"] }).exitCode;
}

function readCommand(args: readonly string[]): ReturnType<typeof commandOf> | undefined {
  try {
    return commandOf(args);
  } catch (error) {
    process.stderr.write(`bench: ${messageOf(error)}\nbench: see --help\n`);
    return undefined;
  }
}

for (const [signal, exitCode] of Object.entries(exitCodeOfSignal)) {
  process.on(signal, () => {
    closeAllServers();
    process.exit(exitCode);
  });
}

const command = readCommand(process.argv.slice(2));
try {
  process.exitCode = command === undefined ? 2 : await command();
} catch (error) {
  process.stderr.write(`bench: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
