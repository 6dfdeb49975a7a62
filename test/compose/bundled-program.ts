import { join } from "node:path";

import { spareChild } from "../../src/commands/process/orphanage.ts";
import { TempFolder } from "../e2e/harness/temp-folder.ts";

/**
 * The program as it is in the sources now, bundled as `scripts/build/compile.ts` does, but for bytecode. For tests that
 * start it often: each start from the sources transpiles hundreds of files.
 */
export interface BundledProgram {
  readonly outputFolder: string;
  readonly metafile: string;
  /** The words that start it; its arguments come after them. */
  readonly command: readonly [runtime: string, entryPoint: string];
}

let program: BundledProgram | undefined;

/** One for all test files of this process, gone with it: to bundle takes a second of processor time. */
export function bundledProgram(): BundledProgram {
  program ??= bundle();
  return program;
}

function bundle(): BundledProgram {
  const folder = new TempFolder();
  removeAtExit(folder.path);
  const outputFolder = folder.at("out");
  const metafile = folder.at("meta.json");
  const entryPoints = ["src/main.ts", "src/worker.ts"];
  const how = ["--target=bun", "--format=esm", "--minify", "--splitting"];
  // Files beside the code are named in full: a process may start in any folder.
  const to = [`--outdir=${outputFolder}`, `--public-path=${outputFolder}/`];
  const build = Bun.spawnSync(
    [process.execPath, "build", ...entryPoints, ...how, ...to, `--metafile=${metafile}`],
    { cwd: join(import.meta.dir, "../.."), stdio: ["ignore", "ignore", "inherit"] },
  );
  if (!build.success) throw new Error("bun build failed");
  return { outputFolder, metafile, command: [process.execPath, join(outputFolder, "main.js")] };
}

/**
 * `bun test` ends without an "exit" event, and may be killed: the input of this guard ends either way. The orphanages of
 * tests would take it for an adopted child.
 */
function removeAtExit(folder: string): void {
  const guard = Bun.spawn(["sh", "-c", 'cat >/dev/null; rm -rf "$1"', "sh", folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  spareChild(guard.pid);
}
