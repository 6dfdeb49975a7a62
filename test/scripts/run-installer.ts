import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const installer = join(import.meta.dir, "../../scripts/install.sh");

export interface InstallerRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command with only `env` and PATH in its environment. */
export async function runCommand(
  command: readonly string[],
  env: Record<string, string>,
  input: Blob | "ignore" = "ignore",
): Promise<InstallerRun> {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"], ...env },
    stdin: input,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

export function runInstaller(env: Record<string, string>): Promise<InstallerRun> {
  return runCommand(["sh", installer], env);
}

/** A folder that is gone at the end of the scope. */
export function createScratch(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "scorpiox-install-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
