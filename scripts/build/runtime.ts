import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { readRuntime } from "./packages.ts";
import { hostTarget, type Target } from "./targets.ts";

/**
 * The Bun executable that a binary for `target` is made of. For this machine it is the running one, which
 * `npm ci` has checked. For others it comes from npm once, is compared with the hash in the lock file
 * (Bun's own download is compared with nothing), and is kept in `.build/runtimes`.
 * @throws Error with a message for a person when it cannot be had.
 */
export async function getRuntime(root: string, target: Target): Promise<string> {
  const { name, version, sha512 } = readRuntime(root, target);
  if (version !== Bun.version) {
    throw new Error(
      `this is Bun ${Bun.version}, not ${version}: start it as node_modules/.bin/bun`,
    );
  }
  if (target === hostTarget()) return process.execPath;
  if (sha512 === undefined) throw new Error(`package-lock.json has no hash for ${name}`);
  const folder = join(root, ".build/runtimes");
  const kept = join(folder, `${target.bun}-${version}-${sha512.slice(0, 16)}`);
  if (existsSync(kept)) return kept;
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(folder, "fetch-"));
  try {
    const archive = await fetchPackage(scratch, `${name}@${version}`);
    assertHash(archive, `${name}@${version}`, sha512);
    await run(scratch, ["tar", "-xzf", archive], `cannot unpack ${name}@${version}`);
    const suffix = target.os === "windows" ? ".exe" : "";
    renameSync(join(scratch, `package/bin/bun${suffix}`), kept);
    return kept;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @throws Error that says both hashes when `archive` is not what the lock file names. */
export function assertHash(archive: string, name: string, expected: string): void {
  const actual = createHash("sha512").update(readFileSync(archive)).digest("hex");
  if (actual === expected) return;
  throw new Error(
    `${name} is not what package-lock.json names\n  expected sha512 ${expected}\n  actual   sha512 ${actual}`,
  );
}

async function fetchPackage(folder: string, name: string): Promise<string> {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const flags = ["--prefer-offline", "--fetch-retries=1", "--loglevel=error"];
  const failure = `cannot get ${name} from the npm registry (needed once, then kept): connect and run this again`;
  await run(folder, [npm, "pack", name, ...flags], failure);
  const archive = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  if (archive === undefined) throw new Error(failure);
  return join(folder, archive);
}

async function run(cwd: string, command: readonly string[], failure: string): Promise<void> {
  const child = Bun.spawn([...command], { cwd, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const [text, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  if (exitCode !== 0) throw new Error(`${failure}\n${text.trim()}`);
}
