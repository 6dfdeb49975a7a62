/**
 * A whole release, made twice at the same time in clones of what is committed here, with a repository and a key that are made for it:
 * all targets in one run, each file compared with its checksum, the checksums with their signature, and both releases with each
 * other. Takes some ten minutes of two processors; needs openssl, rpmbuild for the two packages .rpm,
 * and the npm registry for the runtimes of other systems.
 */
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { whyNoRpm } from "../build/distribution/rpm.ts";
import { targets } from "../build/targets.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { differingFiles, judgeRelease } from "./release/judge-release.ts";
import { runProgram } from "./run-program.ts";

const releaseMsMax = 3_600_000;

export async function checkRelease(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-release-"));
  try {
    const pair = generateKeyPairSync("ec", {
      namedCurve: "prime256v1",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    // Folders of other lengths: a path that gets into a file shows.
    const clones = [join(folder, "one"), join(folder, "another", "two")] as const;
    await clone(root, clones[0]);
    await commitOwner(clones[0], pair.publicKey);
    await clone(clones[0], clones[1]);
    const begin = performance.now();
    const [one, two] = await Promise.all([
      makeRelease(clones[0], pair.privateKey),
      makeRelease(clones[1], pair.privateKey),
    ]);
    const took = performance.now() - begin;
    const judged = await judgeRelease(one, createPublicKey(pair.publicKey));
    const differing = differingFiles(one, two);
    const wrong = [...judged.faults, ...differing.map((file) => `${file} differs`)];
    const noRpm = whyNoRpm();
    const { files, bytes, programs } = judged;
    return {
      name: "release",
      passed: wrong.length === 0,
      figures:
        `${targets.length} targets in one run, twice at once in ${seconds(took)}: ${files.length} files, ` +
        `${(bytes / 1e9).toFixed(2)} GB, each with its checksum, ${programs.length} programs unpacked from .gz and .zst, ` +
        `the signature right; ${differing.length} files differ between the two`,
      faults: noRpm === undefined ? wrong : [...wrong, `no .rpm was made: ${noRpm}`],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A clone with the packages of this checkout, and the runtimes of other systems where it has them. */
async function clone(from: string, to: string): Promise<void> {
  await run(["git", "clone", "--quiet", from, to], root);
  await run(["cp", "-al", join(root, "node_modules"), join(to, "node_modules")], root);
  const runtimes = join(root, ".build", "runtimes");
  if (!existsSync(runtimes)) return;
  mkdirSync(join(to, ".build"));
  await run(["cp", "-al", runtimes, join(to, ".build", "runtimes")], root);
}

/** Commits the two facts that only the owner of releases has: both releases are then of one clean commit. */
async function commitOwner(dir: string, publicKey: string): Promise<void> {
  const file = join(dir, "package.json");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/"github:[^/"]+\//, '"github:someone/'));
  writeFileSync(join(dir, "scripts", "release-key.pem"), publicKey);
  const identity = ["-c", "user.name=someone", "-c", "user.email=someone@localhost"];
  await run(["git", ...identity, "commit", "--quiet", "--all", "--message", "Rehearsal"], dir);
}

/** Builds and signs as the workflow of releases does; the folder of the release. */
async function makeRelease(dir: string, privateKey: string): Promise<string> {
  const outdir = join(dir, "release");
  await run([process.execPath, "scripts/build.ts", "--release", "--outdir", outdir], dir);
  await run(["sh", "scripts/build/sign-release.sh", outdir], dir, { RELEASE_KEY: privateKey });
  return outdir;
}

/** @throws Error with the last words of a command that failed */
async function run(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { GITHUB_REPOSITORY: _, ...own } = process.env;
  const all = { ...own, ...env } as Record<string, string>;
  const { code, text } = await runProgram(words, all, cwd, releaseMsMax);
  if (code !== 0) throw new Error(`${words.slice(0, 3).join(" ")}: ${text.slice(-1_000)}`);
}
