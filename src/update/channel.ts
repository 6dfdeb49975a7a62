import { readFileSync } from "node:fs";

import { homepage, product } from "../base/product.ts";

/** How this copy of the program came here. */
export type Channel =
  /** A file of the user's own, which `update` replaces. */
  | { readonly kind: "own" }
  /** A package manager's: that updates it. */
  | { readonly kind: "managed"; readonly by: string; readonly command: string };

const name = product.name;

/** Package managers by the path of the executable, with links followed; the first match decides. */
const managers: readonly (readonly [pattern: RegExp, by: string, command: string])[] = [
  // The folder of npx has a node_modules too.
  [/[\\/]_npx[\\/]/, "npx", `npx ${name}@latest`],
  [/[\\/]\.pnpm[\\/]/, "pnpm", `pnpm add --global ${name}@latest`],
  [/[\\/]\.bun[\\/]install[\\/]/, "Bun", `bun add --global ${name}@latest`],
  [/[\\/](?:lib|npm|nodejs)[\\/]node_modules[\\/]/, "npm", `npm install --global ${name}@latest`],
  // Of a project.
  [/[\\/]node_modules[\\/]/, "npm", `npm install ${name}@latest`],
  [/[\\/]Claude Extensions[\\/]/, "Claude Desktop", "open the newer .mcpb bundle"],
  [/[\\/](?:Cellar|homebrew|linuxbrew)[\\/]/i, "Homebrew", `brew upgrade ${name}`],
  [/[\\/]scoop[\\/]apps[\\/]/i, "Scoop", `scoop update ${name}`],
  [/[\\/]WinGet[\\/]/i, "winget", `winget upgrade ${name}`],
  [/[\\/]nix[\\/]store[\\/]/, "Nix", "nix profile upgrade"],
  [/^\/usr\/(?:bin|lib|libexec)\//, "the system's packages", "install the newer .deb or .rpm"],
  [/^\/(?:app|opt)\/scorpiox-code\//, "the container image", "pull the newer image"],
];

/** @param executable its real path */
export function channelOf(executable: string): Channel {
  const found = managers.find(([pattern]) => pattern.test(executable));
  return found === undefined
    ? { kind: "own" }
    : { kind: "managed", by: found[1], command: found[2] };
}

/** The folder of the latest release, without a slash at its end; undefined where this build knows none. */
export function releaseFolder(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = env["SCORPIOX_RELEASE_URL"];
  if (named !== undefined && named !== "") return named.replace(/\/+$/, "");
  return homepage === undefined ? undefined : `${homepage}/releases/latest/download`;
}

/** The executable of a release for a platform; a release may have none. */
export function platformFile(platform: string, arch: string, isMusl: boolean): string {
  const system = platform === "win32" ? "windows" : platform;
  const libc = isMusl && platform === "linux" ? "-musl" : "";
  return `scorpiox-code-${system}-${arch}${libc}${platform === "win32" ? ".exe" : ""}`;
}

/** Asks how this very process is linked: a glibc system may have a musl loader too. */
export function runsOnMusl(): boolean {
  try {
    return /\/(ld-musl-|libc\.musl-)/.test(readFileSync("/proc/self/maps", "utf8"));
  } catch {
    return false;
  }
}
