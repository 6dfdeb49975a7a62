import { createHash } from "node:crypto";
import { createReadStream, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Target } from "./targets.ts";

/** What `manifest.json` says of one binary. */
export interface Artifact {
  readonly target: string;
  readonly file: string;
  readonly os: string;
  readonly cpu: string;
  readonly libc: string | null;
  readonly bytecode: boolean;
  readonly bytes: number;
  readonly sha256: string;
  /** The same file packed, as it is downloaded; none outside a release. */
  readonly archives?: readonly Archive[];
}

interface Archive {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What `manifest.json` says of the build as a whole. */
export interface BuildFacts {
  readonly name: string;
  readonly version: string;
  /** Null outside a Git checkout; ends in `-dirty` when files differ from it. */
  readonly commit: string | null;
  readonly bun: string;
}

export async function describeArtifact(outdir: string, target: Target): Promise<Artifact> {
  const { name, file, os, cpu, libc, bytecode } = target;
  const path = join(outdir, file);
  const facts = { bytes: statSync(path).size, sha256: await sha256Of(path) };
  return { target: name, file, os, cpu, libc: libc ?? null, bytecode, ...facts };
}

/** The artifact with the packed files that stand beside it. */
export async function withArchives(
  outdir: string,
  artifact: Artifact,
  files: readonly string[],
): Promise<Artifact> {
  const archives: Archive[] = [];
  for (const file of files) {
    const path = join(outdir, file);
    archives.push({ file, bytes: statSync(path).size, sha256: await sha256Of(path) });
  }
  return { ...artifact, archives };
}

/** What the installers of a release know and those of a checkout do not. */
export interface InstallerFacts {
  /** Where releases come from, as `owner/name`. */
  readonly repository: string;
  /** What they are signed with: see `requireReleaseKey`. */
  readonly publicKey: string;
}

/** The installers of a release: the scripts of this checkout, with what they know from then on. */
export function writeInstallers(
  root: string,
  outdir: string,
  { repository, publicKey }: InstallerFacts,
): readonly string[] {
  const fillings = {
    "install.sh": [
      ["\nREPOSITORY=\n", `\nREPOSITORY=${repository}\n`],
      ["\nPUBLIC_KEY=\n", `\nPUBLIC_KEY=${publicKey}\n`],
    ],
    "install.ps1": [
      ["\n$Repository = ''\n", `\n$Repository = '${repository}'\n`],
      ["\n$PublicKey = ''\n", `\n$PublicKey = '${publicKey}'\n`],
    ],
  } as const;
  return Object.entries(fillings).map(([file, rows]) => {
    let script = readFileSync(join(root, "scripts", file), "utf8");
    for (const [blank, filled] of rows) {
      if (script.split(blank).length !== 2)
        throw new Error(`${file} has no place for "${blank.trim()}"`);
      script = script.replace(blank, () => filled);
    }
    writeWhole(join(outdir, file), script);
    return file;
  });
}

/** Writes `manifest.json`, `sbom.cdx.json` and, last, `SHA256SUMS`, which covers them, the binaries and what else a release has. */
export async function writeReleaseFiles(
  outdir: string,
  facts: BuildFacts,
  artifacts: readonly Artifact[],
  sbom: Record<string, unknown>,
  installers: readonly string[] = [],
): Promise<void> {
  writeWhole(join(outdir, "manifest.json"), toJson({ ...facts, artifacts }));
  writeWhole(join(outdir, "sbom.cdx.json"), toJson(sbom));
  const lines = artifacts
    .flatMap((row) => [row, ...(row.archives ?? [])])
    .map((row) => `${row.sha256}  ${row.file}\n`);
  for (const file of ["manifest.json", "sbom.cdx.json", ...installers]) {
    lines.push(`${await sha256Of(join(outdir, file))}  ${file}\n`);
  }
  writeWhole(join(outdir, "SHA256SUMS"), lines.join(""));
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
