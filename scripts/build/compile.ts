import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

import type { BundleOrder } from "./bundle.ts";
import { withoutZeros } from "./elf.ts";
import type { Target } from "./targets.ts";

/** What is compiled: the main program first, then the entry points of its Workers. */
export type EntryPoints = readonly [main: string, ...workers: string[]];

export const productEntryPoints: EntryPoints = [
  "src/main.ts",
  "src/worker.ts",
  "src/web-worker.ts",
  "src/store-worker.ts",
  "src/upstream-worker.ts",
];

export type CompileResult =
  | { readonly kind: "built"; readonly inputs: readonly string[] }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Compiles `entryPoints` (paths relative to `root`) into `outfile`, which appears complete or not at all.
 * `runtime` is the Bun executable of `target`. `metafile` gets Bun's report of what is in which chunk.
 * The same sources, lock file and Bun give the same bytes, in any folder.
 */
export async function compile(
  root: string,
  entryPoints: EntryPoints,
  target: Target,
  runtime: string,
  outfile: string,
  metafile?: string,
): Promise<CompileResult> {
  // Bun writes the name of the output file into the binary: one name for all, renamed afterwards.
  const scratch = mkdtempSync(`${outfile}.build-`);
  try {
    const staged = join(scratch, "scorpiox-code");
    const order: BundleOrder = {
      entryPoints,
      target: target.bun,
      bytecode: target.bytecode,
      runtime,
      outfile: staged,
      metafile,
    };
    const command = [process.execPath, join(import.meta.dir, "bundle.ts"), JSON.stringify(order)];
    const child = Bun.spawn(command, { cwd: root, env: buildEnvironment(), stderr: "pipe" });
    const [inputs, text, exitCode] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    if (exitCode !== 0) return { kind: "failed", reason: text.trim() || "bun build said nothing" };
    if (target.os === "linux") writeFileSync(staged, withoutZeros(readFileSync(staged)));
    renameSync(target.os === "windows" ? `${staged}.exe` : staged, outfile);
    return { kind: "built", inputs: z.array(z.string()).parse(JSON.parse(inputs)) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Bun inlines NODE_ENV and takes flags from BUN_OPTIONS: neither may depend on who builds. */
function buildEnvironment(): Record<string, string | undefined> {
  return { ...process.env, NODE_ENV: "production", BUN_OPTIONS: undefined, NO_COLOR: "1" };
}
