import { existsSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dir, "../../..");
const suffix = process.platform === "win32" ? ".exe" : "";
/** Where the binaries are: what `--outdir` of the build was told. */
const folder = process.env["TEST_DIST_DIR"] ?? join(root, "dist");

/** The compiled product. */
export const productBinary = join(folder, `scorpiox-code${suffix}`);
/** The same program with tools that break their Worker (test/fixtures/faulty). */
export const faultyBinary = testBinary("scorpiox-faulty");

/** A program that is built for tests alone. */
export function testBinary(name: string): string {
  return join(folder, "test", `${name}${suffix}`);
}

/** Builds what is not there yet. Does not look whether it is up to date: `scripts/test.sh` builds first. */
export function ensureBuilt(binary: string): void {
  if (existsSync(binary)) return;
  const args = ["--outdir", folder, ...(binary === faultyBinary ? ["--faulty"] : [])];
  console.log(`e2e: ${binary} is missing and is built now`);
  const build = Bun.spawnSync([process.execPath, "scripts/build.ts", ...args], {
    cwd: root,
    stdin: "ignore",
    timeout: 120_000,
  });
  if (build.exitCode === 0 && existsSync(binary)) return;
  const command = ["bun scripts/build.ts", ...args].join(" ");
  throw new Error(`\`${command}\` failed:\n${build.stderr.toString()}${build.stdout.toString()}`);
}
