import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";

import { paths } from "../paths.ts";

/**
 * The executable of an earlier commit, built into `folder` with the packages of today.
 * @throws Error when there is no such commit, or it does not build
 */
export function buildCommit(commit: string, folder: string): string {
  const checkout = path.join(folder, "checkout");
  mkdirSync(checkout, { recursive: true });
  run(paths.repository, ["sh", "-c", `git archive "$1" | tar -x -C "$2"`, "sh", commit, checkout]);
  symlinkSync(path.join(paths.repository, "node_modules"), path.join(checkout, "node_modules"));
  run(checkout, [process.execPath, "scripts/build.ts"]);
  return path.join(checkout, "dist/scorpiox-code");
}

/** A copy: pages of a file that was copied are shared in the same way as those of another copy. */
export function copyOf(binary: string, folder: string, name: string): string {
  const copy = path.join(folder, name);
  cpSync(binary, copy, { dereference: true });
  return copy;
}

function run(cwd: string, command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd, stdout: "ignore", stderr: "pipe" });
  if (exitCode === 0) return;
  throw new Error(`${command.join(" ")} failed with ${exitCode}:\n${stderr.toString().trim()}`);
}
