/** The targets of the bench. */
import { root } from "../../test/e2e/harness/binary.ts";
import type { Outcome } from "./outcome.ts";

export async function checkBench(): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, "scripts/bench/run.ts", "--check"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const text = await child.stdout.text();
  process.stdout.write(text);
  const exitCode = await child.exited;
  const missed = text.split("\n").filter((line) => /missed/i.test(line));
  return {
    name: "bench",
    passed: exitCode === 0,
    figures: exitCode === 0 ? "every target is met (see benchmarks.md)" : `exit code ${exitCode}`,
    faults: exitCode === 0 ? [] : missed,
  };
}
