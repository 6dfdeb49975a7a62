import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import { root } from "./binary.ts";
import type { TempFolder } from "./temp-folder.ts";

/**
 * The official memory server as a package of its own below `home`, since it keeps what it is told in a file beside its
 * program. @returns its program
 */
export function installMemoryServer(home: TempFolder): string {
  const packages = join(root, "node_modules");
  const name = "@modelcontextprotocol/server-memory";
  const target = home.at("packages", "node_modules", name);
  cpSync(join(packages, name, "dist"), join(target, "dist"), { recursive: true });
  cpSync(join(packages, name, "package.json"), join(target, "package.json"));
  for (const needed of ["@modelcontextprotocol/sdk", "zod"]) {
    const link = home.at("packages", "node_modules", needed);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(packages, needed), link);
  }
  return join(target, "dist", "index.js");
}
