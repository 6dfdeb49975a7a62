import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** What the program needs besides `src/` to run from source. */
const beside = ["package.json", "tsconfig.json"];

/**
 * Puts `src/` and what it runs with into `folder`: as it lies here or, with `ref`, as it is in that commit. Packages are those
 * of today.
 * @throws Error when there is no such commit
 */
export function checkOut(folder: string, ref: string | undefined): void {
  mkdirSync(folder, { recursive: true });
  const copied = ["src", ...beside];
  if (ref === undefined) {
    for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true });
  } else {
    const script = `git archive "$1" ${copied.join(" ")} | tar -x -C "$2"`;
    const command = ["sh", "-c", script, "sh", ref, folder];
    const { stderr } = Bun.spawnSync(command, { cwd: root, stderr: "pipe" });
    const said = stderr.toString().trim();
    if (said !== "") throw new Error(`${ref} cannot be had: ${said}`);
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}

/** What is measured, for a heading. */
export function nameOf(ref: string | undefined): string {
  const command = ["git", "rev-parse", "--short", ref ?? "HEAD"];
  const { stdout } = Bun.spawnSync(command, { cwd: root, stderr: "ignore" });
  const commit = stdout.toString().trim() || (ref ?? "no commit");
  return ref === undefined && isChanged() ? `${commit}, with changes` : commit;
}

function isChanged(): boolean {
  const command = ["git", "status", "--porcelain", "--", "src"];
  return Bun.spawnSync(command, { cwd: root, stderr: "ignore" }).stdout.length > 0;
}
