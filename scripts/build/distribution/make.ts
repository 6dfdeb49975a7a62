import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Target } from "../targets.ts";
import { archiveEntries, type Companions } from "./companions.ts";
import { containerfile } from "./containerfile.ts";
import { packDeb } from "./deb.ts";
import { homebrewFormula } from "./homebrew.ts";
import { packMcpb } from "./mcpb.ts";
import { mainPackageFile, packMainPackage, packPlatformPackage } from "./npm.ts";
import { type Program, sha256 } from "./program.ts";
import { whyNoRpm, writeRpm } from "./rpm.ts";
import { scoopManifest } from "./scoop.ts";
import { serverJson } from "./server-json.ts";
import { packTar } from "./tar.ts";
import { type ReleaseFacts, type WayName, ways } from "./ways.ts";
import { wingetManifests } from "./winget.ts";
import { packZip } from "./zip.ts";

/** What packages are made of, besides the program. */
export interface Ingredients {
  readonly outdir: string;
  readonly facts: ReleaseFacts;
  readonly companions: Companions;
}

/** The files that were written, below `outdir`, and why others were not. */
export interface Made {
  readonly files: readonly string[];
  readonly skipped: readonly string[];
}

/** Packs one way of one target; undefined when it has written its file itself. */
type Packer = (
  ingredients: Ingredients,
  target: Target,
  program: Program,
) => Promise<Uint8Array | undefined> | Uint8Array;

const packers: Readonly<Record<WayName, Packer>> = {
  "tar.gz": ({ companions }, _target, program) =>
    packTar(archiveEntries(program, companions, false), program, "gz"),
  "tar.zst": ({ companions }, _target, program) =>
    packTar(archiveEntries(program, companions, false), program, "zst"),
  zip: ({ companions }, _target, program) =>
    packZip(archiveEntries(program, companions, true), program),
  npm: ({ facts, companions }, target, program) =>
    packPlatformPackage(facts, target, program, companions),
  deb: ({ facts, companions }, target, program) => packDeb(facts, target, program, companions),
  rpm: async ({ outdir, facts, companions }, target, program) => {
    writeRpm(outdir, facts, target, program, companions);
    return Promise.resolve(undefined);
  },
  mcpb: ({ facts, companions }, target, program) => packMcpb(facts, target, program, companions),
};

export const allWays = Object.keys(ways) as readonly WayName[];

/** Writes the packages of one target: each, or those of `chosen` ways. */
export async function writePackages(
  ingredients: Ingredients,
  target: Target,
  program: Program,
  chosen: readonly WayName[] = allWays,
): Promise<Made> {
  const files: string[] = [];
  const skipped: string[] = [];
  for (const name of chosen) {
    const way = ways[name];
    if (!way.has(target)) continue;
    const file = way.file(target, ingredients.facts.version);
    const reason = name === "rpm" ? whyNoRpm() : undefined;
    if (reason !== undefined) {
      skipped.push(`${file}: ${reason}`);
      continue;
    }
    const bytes = await packers[name](ingredients, target, program);
    if (bytes !== undefined) write(ingredients.outdir, file, bytes);
    files.push(file);
  }
  return { files, skipped };
}

/**
 * Writes the files that name packages of several targets, from those that are in `outdir`: the npm package that people name, the
 * formula, the manifests, the entry of the registry, and the `Containerfile`.
 * @returns their names
 */
export async function writeIndexes(
  { outdir, facts, companions }: Ingredients,
  packages: readonly string[],
): Promise<readonly string[]> {
  const sums = new Map(packages.map((file) => [file, sha256(readFileSync(join(outdir, file)))]));
  const bundles = new Map([...sums].filter(([file]) => file.endsWith(".mcpb")));
  const texts = new Map<string, Uint8Array | string>([
    [mainPackageFile(facts.version), await packMainPackage(facts, companions)],
    ["scorpiox-code.rb", homebrewFormula(facts, sums)],
    ["scorpiox-code.json", toJson(scoopManifest(facts, sums))],
    ...wingetManifests(facts, sums),
    ["server.json", toJson(serverJson(facts, bundles))],
    ["Containerfile", containerfile(facts)],
  ]);
  for (const [file, content] of texts) write(outdir, file, content);
  return [...texts.keys()];
}

function write(outdir: string, file: string, content: Uint8Array | string): void {
  const path = join(outdir, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
