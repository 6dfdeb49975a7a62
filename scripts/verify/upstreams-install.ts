import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";

/** Servers that are no dependencies of ours, at the versions that were tried. */
const packages = {
  "@playwright/mcp": "0.0.83",
  "@wonderwhy-er/desktop-commander": "0.2.52",
} as const;

/** Where servers are installed that are no dependencies of ours. */
export const serversFolder = join(root, "dist", "real-servers");

/**
 * Installs what is missing into `dist/real-servers`; scripts of the packages are not run.
 * @throws Error with what npm said
 */
export function installServers(): void {
  const missing = Object.entries(packages).filter(([name, version]) => !isThere(name, version));
  if (missing.length === 0) return;
  mkdirSync(serversFolder, { recursive: true });
  writeFileSync(join(serversFolder, "package.json"), '{"private":true}\n');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const npm = Bun.spawnSync(["npm", "install", ...flags, ...wanted], { cwd: serversFolder });
  if (npm.exitCode !== 0) throw new Error(`npm install failed: ${npm.stderr.toString()}`);
}

/** A file of an installed package. */
export function installed(name: keyof typeof packages, file: string): string {
  return join(serversFolder, "node_modules", name, file);
}

function isThere(name: string, version: string): boolean {
  const file = join(serversFolder, "node_modules", name, "package.json");
  if (!existsSync(file)) return false;
  return (require(file) as { version: string }).version === version;
}
