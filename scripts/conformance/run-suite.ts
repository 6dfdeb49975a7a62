import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { countChecks } from "./checks.ts";
import type { ExpectedRun } from "./expected.ts";
import { judge, type RunOutcome } from "./judge.ts";
import type { Programs } from "./programs.ts";

/** One start of the suite; the longest takes half a minute on a busy machine. */
const startMsMax = 180_000;

/** Runs the suite, offline and under Bun, against the server at `url` or our client. Leaves nothing behind. */
export async function runSuite(
  run: ExpectedRun,
  url: string,
  { suite, client }: Programs,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-conformance-"));
  try {
    const outputs: string[] = [];
    // The suite splits the command at blanks and adds the URL of its server.
    const subject =
      run.isClient === true
        ? ["client", "--command", `${process.execPath} ${client}`]
        : ["server", "--url", url];
    for (const args of run.starts) {
      outputs.push(await startSuite([suite, ...subject, ...args, "-o", folder], signal));
    }
    return judge(run, outputs, countChecks(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startSuite(args: readonly string[], signal: AbortSignal): Promise<string> {
  if (signal.aborted) return "";
  const child = Bun.spawn([process.execPath, ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, NO_COLOR: "1" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(startMsMax)]),
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return stdout + stderr;
}
