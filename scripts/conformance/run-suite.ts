import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { countChecks } from "./checks.ts";
import type { ExpectedRun } from "./expected.ts";
import { judge, type RunOutcome } from "./judge.ts";
import { endOfStart } from "./suite-starts.ts";

/** All starts of a run; the longest takes a minute on a busy machine. */
const runMsMax = 300_000;

const clientCall = join(root, "test/conformance/client-call.ts");

export interface SuiteParts {
  /** The suite's file, which runs several starts. */
  readonly suite: string;
  readonly serverUrl: string;
  /** Where our client is asked to be the client of a scenario. */
  readonly clientUrl: string;
  readonly signal: AbortSignal;
}

/** Runs the suite, offline and under Bun, against our server or our client. Leaves nothing behind. */
export async function runSuite(run: ExpectedRun, parts: SuiteParts): Promise<RunOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-conformance-"));
  try {
    // The suite splits the command at blanks and adds the URL of its server.
    const subject =
      run.isClient === true
        ? ["client", "--command", `${process.execPath} ${clientCall} ${parts.clientUrl}`]
        : ["server", "--url", parts.serverUrl];
    const starts = run.starts.map((args) => [...subject, ...args, "-o", folder]);
    return judge(run, await startSuite(starts, parts), countChecks(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What each start printed. */
async function startSuite(
  starts: readonly (readonly string[])[],
  { suite, signal }: SuiteParts,
): Promise<string[]> {
  const child = Bun.spawn([process.execPath, suite, JSON.stringify(starts)], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, NO_COLOR: "1" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(runMsMax)]),
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  const [printed, complained] = [stdout.split(endOfStart), stderr.split(endOfStart)];
  return starts.map((_, index) => (printed[index] ?? "") + (complained[index] ?? ""));
}
