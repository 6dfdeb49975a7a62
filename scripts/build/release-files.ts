import { createHash } from "node:crypto";
import { createReadStream, renameSync, statSync, writeFileSync } from "node:fs";
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

/** Writes `manifest.json`, `sbom.cdx.json` and, last, `SHA256SUMS`, which covers them and the binaries. */
export async function writeReleaseFiles(
  outdir: string,
  facts: BuildFacts,
  artifacts: readonly Artifact[],
  sbom: Record<string, unknown>,
): Promise<void> {
  writeWhole(join(outdir, "manifest.json"), toJson({ ...facts, artifacts }));
  writeWhole(join(outdir, "sbom.cdx.json"), toJson(sbom));
  const lines = artifacts.map((row) => `${row.sha256}  ${row.file}\n`);
  for (const file of ["manifest.json", "sbom.cdx.json"]) {
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
