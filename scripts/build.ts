/**
 * Builds the executables and what a release needs beside them: SHA256SUMS, a manifest and an SBOM.
 *
 *     arguments → targets → compile, one after the other → hashes → SHA256SUMS
 *
 * A target that fails does not stop the others; the exit code is then 1, and SHA256SUMS lists what was built.
 */
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  compile,
  type CompileResult,
  type EntryPoints,
  productEntryPoints,
} from "./build/compile.ts";
import { readCompanions } from "./build/distribution/companions.ts";
import { type Ingredients, writeIndexes, writePackages } from "./build/distribution/make.ts";
import { pack, writeArchives } from "./build/archives.ts";
import { type BuildOptions, parseOptions, usage } from "./build/options.ts";
import {
  type BundledPackage,
  bundledPackages,
  readRuntime,
  readProduct,
} from "./build/packages.ts";
import {
  type Artifact,
  describeArtifact,
  type InstallerFacts,
  withArchives,
  writeInstallers,
  writeReleaseFiles,
} from "./build/release-files.ts";
import { requireReleaseKey } from "./build/release-key.ts";
import { requireRepository } from "./build/repository.ts";
import { getRuntime } from "./build/runtime.ts";
import { createSbom } from "./build/sbom.ts";
import { checkMachO, signMachO } from "./build/sign-mach-o.ts";
import { hostTarget, type Target } from "./build/targets.ts";
import { product } from "../src/base/product.ts";

const root = dirname(import.meta.dir);
const faultyEntryPoints: EntryPoints = [
  "test/fixtures/faulty/main.ts",
  "test/fixtures/faulty/worker.ts",
  "test/fixtures/faulty/web-worker.ts",
  "test/fixtures/faulty/store-worker.ts",
  "test/fixtures/faulty/upstream-worker.ts",
];

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  let options: BuildOptions | "help";
  try {
    options = parseOptions(args);
  } catch (error) {
    console.error(`build: ${error instanceof Error ? error.message : String(error)}\n${usage}`);
    return 2;
  }
  if (options === "help") {
    console.log(usage);
    return 0;
  }
  const outdir = resolve(root, options.outdir);
  switch (options.kind) {
    case "faulty":
      return buildForTests(join(outdir, "test"), options.targets);
    case "product":
      return buildProduct(outdir, options.targets, undefined);
    case "release":
      return buildRelease(outdir, options.targets);
  }
}

/** Nothing is built without a repository and a key: the installers would look for releases at nobody's, and trust anybody. */
async function buildRelease(outdir: string, chosen: readonly Target[]): Promise<number> {
  let facts: InstallerFacts;
  try {
    const repository = requireRepository(root, process.env);
    facts = { repository, publicKey: requireReleaseKey(root) };
  } catch (error) {
    console.error(`build: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
  return buildProduct(outdir, chosen, facts);
}

/** The programs of tests: the product with tools that break their Worker, and the scripted server, which tests start by the thousand. */
async function buildForTests(outdir: string, chosen: readonly Target[]): Promise<number> {
  mkdirSync(outdir, { recursive: true });
  const programs: readonly [string, EntryPoints][] = [
    ["scorpiox-faulty", faultyEntryPoints],
    ["scorpiox-upstream", ["test/fixtures/upstream/main.ts"]],
  ];
  for (const target of chosen) {
    const suffix = target.os === "windows" ? ".exe" : "";
    for (const [name, entryPoints] of programs) {
      if (!(await compileAloud(entryPoints, target, join(outdir, name + suffix)))) return 1;
    }
  }
  return 0;
}

/** @param release what the installers of a release know: then what was built is packed, and they lie beside it */
async function buildProduct(
  outdir: string,
  chosen: readonly Target[],
  release: InstallerFacts | undefined,
): Promise<number> {
  mkdirSync(outdir, { recursive: true });
  const artifacts: Artifact[] = [];
  const packages: string[] = [];
  const packageFacts = readProduct(root);
  const ingredients = release === undefined ? undefined : await ingredientsOf(outdir, release);
  const runtimes: BundledPackage[] = [];
  const inputs = new Set<string>();
  for (const target of chosen) {
    const found = await compileAloud(productEntryPoints, target, join(outdir, target.file));
    if (found === undefined) continue;
    for (const input of found) inputs.add(input);
    runtimes.push(readRuntime(root, target));
    const artifact = await describeArtifact(outdir, target);
    if (ingredients === undefined) {
      artifacts.push(artifact);
    } else {
      const made = await packed(ingredients, target, artifact);
      artifacts.push(made.artifact);
      packages.push(...made.packages);
    }
    if (release === undefined && target === hostTarget()) copyHostBinary(outdir, target);
  }
  if (artifacts.length === 0) return 1;
  const facts = {
    name: packageFacts.name,
    version: packageFacts.version,
    commit: currentCommit(),
    bun: Bun.version,
  };
  const sbom = createSbom(packageFacts, runtimes, bundledPackages(root, [...inputs]));
  const installers = release === undefined ? [] : writeInstallers(root, outdir, release);
  if (ingredients !== undefined) packages.push(...(await writeIndexes(ingredients, packages)));
  await writeReleaseFiles(outdir, facts, artifacts, sbom, [...installers, ...packages]);
  console.log(`build: ${artifacts.length} of ${chosen.length} targets in ${outdir}`);
  return artifacts.length === chosen.length ? 0 : 1;
}

async function ingredientsOf(outdir: string, { repository }: InstallerFacts): Promise<Ingredients> {
  const { version, license } = readProduct(root);
  const facts = { version, license, description: product.description, repository };
  return { outdir, facts, companions: await readCompanions(root, version) };
}

/** The files that a release has instead of a program: it packed, its packages, and the hash of it unpacked. */
async function packed(
  ingredients: Ingredients,
  target: Target,
  artifact: Artifact,
): Promise<{ readonly artifact: Artifact; readonly packages: readonly string[] }> {
  const started = performance.now();
  const { outdir } = ingredients;
  const path = join(outdir, artifact.file);
  const program = await pack(new Uint8Array(readFileSync(path)));
  const archives = writeArchives(outdir, artifact.file, program);
  const { files, skipped } = await writePackages(ingredients, target, program);
  rmSync(path);
  const described = await withArchives(outdir, artifact, archives);
  const sizes = described.archives?.map(
    ({ file, bytes }) => `${file} ${(bytes / 1e6).toFixed(1)} MB`,
  );
  const took = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`build: ${sizes?.join(", ")}, ${files.length} packages  ${took} s`);
  for (const reason of skipped) console.log(`build: not made: ${reason}`);
  return { artifact: described, packages: files };
}

/** Says how it went; the files in the bundle, or undefined when the target failed. */
async function compileAloud(
  entryPoints: EntryPoints,
  target: Target,
  outfile: string,
): Promise<readonly string[] | undefined> {
  const started = performance.now();
  const result = await compileFor(entryPoints, target, outfile);
  if (result.kind === "failed") {
    console.error(`build: ${target.name} failed: ${result.reason}`);
    return undefined;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const megabytes = (Bun.file(outfile).size / 1e6).toFixed(0);
  console.log(`build: ${target.name}  ${megabytes} MB  ${seconds} s`);
  return result.inputs;
}

async function compileFor(
  entryPoints: EntryPoints,
  target: Target,
  outfile: string,
): Promise<CompileResult> {
  try {
    const runtime = await getRuntime(root, target);
    const result = await compile(root, entryPoints, target, runtime, outfile);
    if (result.kind === "built" && target.os === "darwin") ensureSigned(target, outfile);
    return result;
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws Error when what macOS will hold against its signature is not what was signed */
function ensureSigned(target: Target, file: string): void {
  if (target.signedHere) signMachO(file, "scorpiox-code");
  const { pages, wrong, uncovered } = checkMachO(readFileSync(file));
  if (wrong === 0 && uncovered === 0) return;
  throw new Error(
    `its signature is wrong: ${wrong} of ${pages} pages are not what was signed, ${uncovered} bytes are not covered`,
  );
}

/** The binary of this machine under the name that people and tests start. */
function copyHostBinary(outdir: string, target: Target): void {
  const path = join(outdir, `scorpiox-code${target.os === "windows" ? ".exe" : ""}`);
  copyFileSync(join(outdir, target.file), `${path}.new`);
  renameSync(`${path}.new`, path);
}

function currentCommit(): string | null {
  try {
    const head = git("rev-parse", "HEAD");
    if (head === "") return null;
    return git("status", "--porcelain", "--untracked-files=no") === "" ? head : `${head}-dirty`;
  } catch {
    return null; // no Git on this machine
  }
}

function git(...args: string[]): string {
  const { stdout } = Bun.spawnSync(["git", ...args], { cwd: root, stderr: "ignore" });
  return stdout.toString().trim();
}
