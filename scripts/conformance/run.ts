/**
 * Runs the conformance suite of the protocol against the fixture server, which is our core with tools for testing, and with our
 * connections to other servers as the client.
 *
 *     bun run conformance [--only 2025-11-25,requirements,tasks,skills,client] [--fleet] [--verbose]
 *
 * `--fleet`: the fixture server is three replicas behind a proxy without affinity.
 * Prints a line for each run, and below it what failed; exits with 1 unless every run has exactly the checks that
 * `expected.ts` names. Needs no network.
 */
import { parseArgs } from "node:util";

import { version } from "@modelcontextprotocol/conformance/package.json";

import { expectedRuns, type ExpectedRun, suiteVersion } from "./expected.ts";
import { startClientProcess, startFixtureFleet, startFixtureProcess } from "./fixture-process.ts";
import type { RunOutcome } from "./judge.ts";
import { runSuite, type SuiteParts } from "./run-suite.ts";
import { buildSuite } from "./suite-program.ts";

/** Scenarios wait more than they compute: two at a time for each of two processors. */
const runsAtATime = 4;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    fleet: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => stopping.abort());
process.exitCode = await main(chosenRuns(values.only));

async function main(runs: readonly ExpectedRun[]): Promise<number> {
  if (runs.length === 0) {
    const names = expectedRuns.map(({ name }) => name).join(", ");
    console.error(`conformance: no run ${values.only}; there are ${names}`);
    return 2;
  }
  if (version !== suiteVersion) {
    console.error(
      `conformance: the figures are for the suite's ${suiteVersion}, not for ${version}`,
    );
    return 2;
  }
  await using fixture = await (values.fleet ? startFixtureFleet() : startFixtureProcess());
  await using client = await startClientProcess();
  using suite = await buildSuite();
  const { signal } = stopping;
  const outcomes = await runAll(runs, {
    suite: suite.file,
    serverUrl: fixture.url,
    clientUrl: client.url,
    signal,
  });
  const complaints = fixture.complaints() + client.complaints();
  if (complaints !== "") console.log(`FAIL  the server or the client complained: ${complaints}`);
  const failed = outcomes.filter(({ faults }) => faults.length > 0).length;
  console.log(`${outcomes.length - failed} runs passed, ${failed} failed`);
  return failed === 0 && complaints === "" && !stopping.signal.aborted ? 0 : 1;
}

/** Each run has sessions and MCP tasks of its own on the one server: that they do not disturb each other is part of it. */
async function runAll(
  runs: readonly ExpectedRun[],
  parts: SuiteParts,
): Promise<readonly RunOutcome[]> {
  // The last of the list are those that take longest.
  const waiting = runs.toReversed();
  const outcomes: RunOutcome[] = [];
  const work = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      if (stopping.signal.aborted) return;
      const outcome = await runSuite(run, parts);
      print(outcome);
      outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: runsAtATime }, work));
  return outcomes;
}

function print({ name, figures, faults, output }: RunOutcome): void {
  if (values.verbose) console.log(output);
  console.log(`${faults.length === 0 ? "pass" : "FAIL"}  ${name}: ${figures}`);
  for (const fault of faults) console.log(`      ${fault}`);
}

/** A name stands for itself and for what begins with it: `requirements` for both sets. Empty when one is unknown. */
function chosenRuns(only: string | undefined): readonly ExpectedRun[] {
  if (only === undefined) return expectedRuns;
  const chosen = only.split(",").map((name) => {
    const isMeant = (run: ExpectedRun): boolean =>
      run.name === name || run.name.startsWith(`${name}-`);
    return expectedRuns.filter(isMeant);
  });
  return chosen.some((runs) => runs.length === 0) ? [] : [...new Set(chosen.flat())];
}
