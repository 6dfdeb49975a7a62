import path from "node:path";
import { type LoadPlan, type LoadResult, parseLoadResult } from "./load-plan.ts";
import { pinTo } from "./pinning.ts";

const generator = path.join(import.meta.dir, "load.ts");
const runMsMax = 120_000;

/** Runs the load generator and waits for it. Throws when a call was not answered as it should be. */
export function runLoad(plan: LoadPlan): LoadResult {
  const command = [...pinTo("load"), process.execPath, generator, JSON.stringify(plan)];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    stdout: "pipe",
    stderr: "pipe",
    timeout: runMsMax,
  });
  if (exitCode === 0) return parseLoadResult(stdout.toString());
  const reason = /^error: .*/m.exec(stderr.toString())?.[0] ?? stderr.toString().trim();
  throw new Error(`the load generator failed with ${exitCode}: ${reason}`);
}
