import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
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

// The last two: without them a binary that is started in a hostile repository runs the preload of that
// repository's bunfig.toml and loads its .env.
const flags = [
  "--compile",
  "--minify",
  "--format=esm",
  // Commands and the services behind the tools are chunks of their own. The bundler joins chunks that are always loaded together,
  // unless an entry point has a top-level await: a start loads a dozen, each of which takes about 0.05 ms.
  "--splitting",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
];

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
    const report = join(scratch, "meta.json");
    const from = [`--target=${target.bun}`, `--compile-executable-path=${runtime}`];
    const to = [`--metafile=${report}`, "--outfile", staged];
    const command = [process.execPath, "build", ...flags, ...from, ...to, ...entryPoints];
    if (target.bytecode) command.push("--bytecode");
    const child = Bun.spawn(command, { cwd: root, env: buildEnvironment(), stderr: "pipe" });
    const [text, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
    if (exitCode !== 0) return { kind: "failed", reason: text.trim() || "bun build said nothing" };
    renameSync(target.os === "windows" ? `${staged}.exe` : staged, outfile);
    if (metafile !== undefined) copyFileSync(report, metafile);
    return { kind: "built", inputs: inputsOf(report) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Bun inlines NODE_ENV and takes flags from BUN_OPTIONS: neither may depend on who builds. */
function buildEnvironment(): Record<string, string | undefined> {
  return { ...process.env, NODE_ENV: "production", BUN_OPTIONS: undefined, NO_COLOR: "1" };
}

/** The source files that went into the bundle, as Bun names them. */
function inputsOf(metafile: string): string[] {
  const meta: unknown = JSON.parse(readFileSync(metafile, "utf8"));
  if (typeof meta !== "object" || meta === null || !("inputs" in meta)) return [];
  return typeof meta.inputs === "object" && meta.inputs !== null ? Object.keys(meta.inputs) : [];
}
