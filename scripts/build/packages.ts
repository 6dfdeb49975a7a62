import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Target } from "./targets.ts";

/** A package that ends up inside the binary. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as the package states it. */
  readonly license: string;
  /** SHA-512 of its tarball in lower-case hex, from the lock file. */
  readonly sha512?: string;
}

const packageFile = z.object({ name: z.string(), version: z.string(), license: z.string() });
const lockRow = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  integrity: z.string().optional(),
});
const lockFile = z.object({ packages: z.record(z.string(), lockRow) });

/** This repository's own name, version and licence. */
export function readProduct(root: string): BundledPackage {
  return packageFile.parse(readJson(join(root, "package.json")));
}

/** The package with Bun's executable for `target`, the larger part of that binary. */
export function readRuntime(root: string, target: Target): BundledPackage {
  const cpu = target.cpu === "arm64" ? "aarch64" : target.cpu;
  const suffix = target.libc === "musl" ? "-musl" : "";
  const name = `@oven/bun-${target.os}-${cpu}${suffix}`;
  // Only this machine's is installed: the lock file knows them all.
  const row = lockRow
    .required({ version: true })
    .parse(readLock(root).packages[`node_modules/${name}`]);
  return { name, version: row.version, license: row.license ?? "MIT", ...sha512Of(row) };
}

/** The npm packages among `inputs`, the paths of bundled files, by name. */
export function bundledPackages(root: string, inputs: readonly string[]): BundledPackage[] {
  const folders = new Set(inputs.map(packageFolderOf).filter((folder) => folder !== undefined));
  const lock = readLock(root);
  return [...folders].sort().map((folder) => readPackage(root, folder, lock));
}

/** `…/node_modules/zod/mini/index.js` → `node_modules/zod`; nested installs keep their whole path. */
function packageFolderOf(path: string): string | undefined {
  const match = /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(
    path.replaceAll("\\", "/"),
  );
  return match?.[1];
}

type Lock = z.output<typeof lockFile>;

function readLock(root: string): Lock {
  return lockFile.parse(readJson(join(root, "package-lock.json")));
}

function readPackage(root: string, folder: string, lock: Lock): BundledPackage {
  const { name, version, license } = packageFile.parse(
    readJson(join(root, folder, "package.json")),
  );
  return { name, version, license, ...sha512Of(lock.packages[folder]) };
}

function sha512Of(row: z.output<typeof lockRow> | undefined): Pick<BundledPackage, "sha512"> {
  if (row?.integrity?.startsWith("sha512-") !== true) return {};
  const base64 = row.integrity.slice("sha512-".length);
  return { sha512: Buffer.from(base64, "base64").toString("hex") };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
