/** Executables to compare: built apart, and copied alike. */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";

import { paths } from "./paths.ts";

/**
 * The executable of a commit, built into `folder` with the packages of today.
 * @throws Error when there is no such commit, or it does not build
 */
export function buildCommit(commit: string, folder: string): string {
  const checkout = path.join(folder, "checkout");
  mkdirSync(checkout, { recursive: true });
  run(paths.repository, ["sh", "-c", `git archive "$1" | tar -x -C "$2"`, "sh", commit, checkout]);
  return buildIn(checkout);
}

/**
 * The executable of this checkout as it is, with what is not committed, built in a folder of its own as well.
 * @throws Error when it does not build
 */
export function buildWorkingTree(folder: string): string {
  const checkout = path.join(folder, "checkout");
  const list = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = Bun.spawnSync(list, { cwd: paths.repository });
  for (const file of new Set(stdout.toString().split("\0"))) {
    const source = path.join(paths.repository, file);
    if (file !== "" && existsSync(source)) cpSync(source, path.join(checkout, file));
  }
  return buildIn(checkout);
}

/** A copy: pages of a file that was copied are shared in the same way as those of another copy. */
export function copyOf(binary: string, folder: string, name: string): string {
  const copy = path.join(folder, name);
  // One that runs cannot be written to.
  rmSync(copy, { force: true });
  cpSync(binary, copy, { dereference: true });
  return copy;
}

function buildIn(checkout: string): string {
  symlinkSync(path.join(paths.repository, "node_modules"), path.join(checkout, "node_modules"));
  run(checkout, [process.execPath, "scripts/build.ts"]);
  return path.join(checkout, "dist/scorpiox-code");
}

function run(cwd: string, command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd, stdout: "ignore", stderr: "pipe" });
  if (exitCode === 0) return;
  throw new Error(`${command.join(" ")} failed with ${exitCode}:\n${stderr.toString().trim()}`);
}
