import { join } from "node:path";

import { TempFolder } from "../e2e/harness/temp-folder.ts";

/**
 * The program as it is in the sources now, bundled as `scripts/build/compile.ts` does, but for bytecode. For tests that
 * start it often: each start from the sources transpiles hundreds of files.
 */
export class BundledProgram implements Disposable {
  readonly #folder = new TempFolder();
  readonly outputFolder = this.#folder.at("out");
  readonly metafile = this.#folder.at("meta.json");
  /** The words that start it; its arguments come after them. */
  readonly command = [process.execPath, join(this.outputFolder, "main.js")] as const;

  constructor() {
    const entryPoints = ["src/main.ts", "src/worker.ts"];
    const how = ["--target=bun", "--format=esm", "--minify", "--splitting"];
    // Files beside the code are named in full: a process may start in any folder.
    const to = [`--outdir=${this.outputFolder}`, `--public-path=${this.outputFolder}/`];
    const build = Bun.spawnSync(
      [process.execPath, "build", ...entryPoints, ...how, ...to, `--metafile=${this.metafile}`],
      { cwd: join(import.meta.dir, "../.."), stdio: ["ignore", "ignore", "inherit"] },
    );
    if (!build.success) throw new Error("bun build failed");
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
