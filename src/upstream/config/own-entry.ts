import { basename, isAbsolute, resolve } from "node:path";

import { isNetworkPath, realPathOf } from "../../base/paths.ts";
import { product } from "../../base/product.ts";
import { cleanServer } from "../names/assign-names.ts";
import type { HttpLaunch, ServerLaunch, StdioLaunch } from "./server-entry.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/** Programs that run the program in their first argument. */
const runners =
  /^(?:npx|bunx|pnpx|npm|pnpm|yarn|node|bun|deno|env|uvx|sudo|cmd|sh|bash)(?:\.exe|\.cmd)?$/i;

/**
 * True for an entry that would start scorpiox-code once more, or whose address is its own (CF20): clients start it from
 * a project's `.mcp.json` too. References are not filled in.
 */
export function isOwnEntry(launch: ServerLaunch, parts: UpstreamConfigParts): boolean {
  return launch.transport === "stdio" ? isOwnProgram(launch, parts) : isOwnAddress(launch, parts);
}

/**
 * True for the name under which clients have configured scorpiox-code: a server's tools would look like built-in ones
 * (NM4).
 */
export function isOwnServerName(name: string, ours: string): boolean {
  return cleanServer(name).toLowerCase() === cleanServer(ours).toLowerCase();
}

function isOwnProgram(launch: StdioLaunch, parts: UpstreamConfigParts): boolean {
  const { command, args } = launch;
  const own = (parts.ownCommand ?? []).map(realPathOf);
  const program = realProgram(command, launch.cwd, parts);
  // Run from its sources, it is a script of a runtime that other programs use too.
  if (own.length === 1 && own[0] === program) return true;
  if (isOwnName(command)) return true;
  if (!runners.test(basename(command))) return false;
  const word =
    args.find((arg) => !arg.startsWith("-") && !/^(?:run|x|exec|dlx|\/c)$/.test(arg)) ?? "";
  const script = realProgram(word, launch.cwd, parts);
  return isOwnName(word) || own.at(-1) === script;
}

/** `scorpiox-code`, with a path, a version or the suffixes of its executables. */
function isOwnName(word: string): boolean {
  const name = basename(word.replaceAll("\\", "/")).replace(/(?<=.)@.*$/, "");
  return new RegExp(
    `^${product.name}(?:-(?:linux|darwin|macos|windows)[\\w.-]*)?(?:\\.exe)?$`,
    "i",
  ).test(name);
}

/** Only looks at this machine: the user has not approved anything yet. */
function realProgram(command: string, cwd: string | undefined, parts: UpstreamConfigParts): string {
  const path = findProgram(command, cwd, parts);
  return isNetworkPath(path) ? path : realPathOf(path);
}

function findProgram(command: string, cwd: string | undefined, parts: UpstreamConfigParts): string {
  const { homeDir, projectDir } = parts.dirs;
  if (command.startsWith("~/")) return resolve(homeDir, command.slice(2));
  if (isAbsolute(command)) return command;
  if (/[/\\]/.test(command)) return resolve(projectDir ?? homeDir, cwd ?? ".", command);
  return whichOf(command, parts.env["PATH"] ?? "") ?? command;
}

function whichOf(command: string, path: string): string | null {
  try {
    return Bun.which(command, { PATH: path });
  } catch {
    // It is longer than any path.
    return null;
  }
}

function isOwnAddress(launch: HttpLaunch, parts: UpstreamConfigParts): boolean {
  const own = URL.parse(parts.ownUrl ?? "");
  const there = URL.parse(launch.url);
  if (own === null || there === null || portOf(own) !== portOf(there)) return false;
  return own.hostname === there.hostname || (isThisMachine(own) && isThisMachine(there));
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

function isThisMachine({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
}
