import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import type { RealClient } from "./clients.ts";

const folder = join(root, "dist", "real-clients");

/**
 * Installs a client at its version into a folder of its own below `dist/real-clients`, unless it is there.
 * @returns the folder of its command, or why it cannot be had
 */
export function installClient(
  client: RealClient,
): { readonly bin: string } | { readonly reason: string } {
  const { id, packageName, version, bin, installScripts } = client;
  const place = join(folder, id);
  const binFolder = join(place, "node_modules/.bin");
  const manifest = join(place, "node_modules", packageName, "package.json");
  if (existsSync(manifest) && existsSync(join(binFolder, bin))) {
    const there = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    if (there.version === version) return { bin: binFolder };
  }
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{"private":true}\n');
  const flags = ["--no-audit", "--no-fund", "--save-exact"];
  if (!installScripts) flags.push("--ignore-scripts");
  const wanted = `${packageName}@${version}`;
  const npm = Bun.spawnSync(["npm", "install", ...flags, wanted], {
    cwd: place,
    timeout: 300_000,
  });
  if (npm.exitCode === 0 && existsSync(join(binFolder, bin))) return { bin: binFolder };
  const said = npm.stderr.toString().trim().split("\n").at(0) ?? "";
  return { reason: `npm has no ${wanted} for this machine: ${said}` };
}
