import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type Target, targets } from "../targets.ts";
import type { Companions } from "./companions.ts";
import { type Entry, type Program, programEntry, textEntry } from "./program.ts";
import { packTar } from "./tar.ts";
import { homepageOf, type ReleaseFacts } from "./ways.ts";

const nodeSystems = { linux: "linux", darwin: "darwin", windows: "win32" } as const;

/** The package with the program for one target. npm installs it on such machines only. */
export function packPlatformPackage(
  facts: ReleaseFacts,
  target: Target,
  program: Program,
  { license }: Companions,
): Promise<Uint8Array> {
  const file = target.os === "windows" ? "scorpiox-code.exe" : "scorpiox-code";
  return packNpm(platformPackageJson(facts, target), program, [
    programEntry(file, program),
    textEntry("LICENSE", license),
    textEntry("README.md", `The program of [scorpiox-code](${homepageOf(facts)}).\n`),
  ]);
}

/** The package that people name: a command that starts the program of the right platform package. */
export function packMainPackage(facts: ReleaseFacts, companions: Companions): Promise<Uint8Array> {
  const wrapper = readFileSync(join(import.meta.dir, "npm-wrapper.cjs"), "utf8");
  return packNpm(mainPackageJson(facts), undefined, [
    textEntry("npm-wrapper.cjs", wrapper, 0o755),
    textEntry("scorpiox-code.1", companions.manPage),
    textEntry("LICENSE", companions.license),
    textEntry("README.md", companions.readme),
  ]);
}

export function platformPackageName(target: Target): string {
  return `scorpiox-code-${target.name}`;
}

/** The tarball of the main package, below the folder of the release. */
export function mainPackageFile(version: string): string {
  return `npm/scorpiox-code-${version}.tgz`;
}

export function platformPackageJson(
  facts: ReleaseFacts,
  target: Target,
): Readonly<Record<string, unknown>> {
  return {
    ...commonFields(platformPackageName(target), facts),
    description: `The program of scorpiox-code for ${target.name}`,
    os: [nodeSystems[target.os]],
    cpu: [target.cpu],
    ...(target.libc === undefined ? {} : { libc: [target.libc] }),
    // Yarn would keep it in an archive, out of which no program can be started.
    preferUnplugged: true,
  };
}

export function mainPackageJson(facts: ReleaseFacts): Readonly<Record<string, unknown>> {
  return {
    ...commonFields("scorpiox-code", facts),
    description: facts.description,
    keywords: ["mcp", "model-context-protocol", "mcp-server"],
    bin: { "scorpiox-code": "npm-wrapper.cjs" },
    man: ["scorpiox-code.1"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(
      targets.map((target) => [platformPackageName(target), facts.version]),
    ),
  };
}

function commonFields(name: string, facts: ReleaseFacts): Readonly<Record<string, unknown>> {
  return {
    name,
    version: facts.version,
    license: facts.license,
    homepage: homepageOf(facts),
    repository: { type: "git", url: `git+${homepageOf(facts)}.git` },
  };
}

function packNpm(
  packageJson: Readonly<Record<string, unknown>>,
  program: Program | undefined,
  others: readonly Entry[],
): Promise<Uint8Array> {
  const json = textEntry("package.json", `${JSON.stringify(packageJson, null, 2)}\n`);
  const entries = [json, ...others].map((entry) => ({ ...entry, path: `package/${entry.path}` }));
  return packTar(entries, program, "gz");
}
