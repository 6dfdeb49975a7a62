import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { countChecks } from "./checks.ts";
import type { ExpectedRun } from "./expected.ts";
import { judge, type RunOutcome } from "./judge.ts";

const suiteProgram = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
/** Ours for `client`; the suite splits it at blanks and adds the URL of its server. */
const clientCommand = `${process.execPath} ${join(root, "test/conformance/client-driver.ts")}`;
/** One start of the suite; the longest takes half a minute on a busy machine. */
const startMsMax = 180_000;

/** Runs the suite, offline and under Bun, against the server at `url` or our client. Leaves nothing behind. */
export async function runSuite(
  run: ExpectedRun,
  url: string,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-conformance-"));
  try {
    const outputs: string[] = [];
    const subject =
      run.isClient === true ? ["client", "--command", clientCommand] : ["server", "--url", url];
    for (const args of run.starts) {
      outputs.push(await startSuite([...subject, ...args, "-o", folder], signal));
    }
    return judge(run, outputs, countChecks(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startSuite(args: readonly string[], signal: AbortSignal): Promise<string> {
  if (signal.aborted) return "";
  const child = Bun.spawn([process.execPath, suiteProgram, ...args], {
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
