import { posix, win32 } from "node:path";

import { AppError } from "../../base/errors.ts";
import { upstreamSearchedFoldersMax } from "../../base/upstream-limits.ts";
import type { Environment } from "../../base/values.ts";

/** Looks for a program at a path. */
export type ProgramProbe = (path: string) => Promise<"program" | "not-executable" | "none">;

export interface ProgramSearch {
  readonly command: string;
  readonly cwd: string;
  /** The environment of the child: PATH and, on Windows, PATHEXT. */
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly probe: ProgramProbe;
}

export type FoundProgram =
  | { readonly kind: "found"; readonly path: string }
  /** A file of that name exists but is not executable. */
  | { readonly kind: "not-executable"; readonly path: string }
  /** `searched`: the folders, or the one path. */
  | { readonly kind: "missing"; readonly searched: readonly string[] };

/** The default where the environment of Windows has no PATHEXT; other kinds of scripts need an interpreter. */
const usualExtensions = ".COM;.EXE;.BAT;.CMD";
const startedDirectly = new Set([".com", ".exe", ".bat", ".cmd"]);

/** Finds the program of a command as the system would, without a shell. */
export async function findProgram(search: ProgramSearch): Promise<FoundProgram> {
  const { command, cwd, env, platform, probe } = search;
  const paths = platform === "win32" ? win32 : posix;
  const hasFolder = command.includes("/") || (platform === "win32" && command.includes("\\"));
  const folders = hasFolder ? [""] : pathFolders(env, paths.delimiter);
  const bases = hasFolder
    ? [paths.resolve(cwd, command)]
    : folders.map((folder) => paths.resolve(cwd, folder, command));
  let refused: string | undefined;
  for (const base of bases) {
    for (const path of platform === "win32" ? withExtensions(base, env) : [base]) {
      const there = await probe(path);
      if (there === "program") return { kind: "found", path };
      if (there === "not-executable") refused ??= path;
    }
  }
  if (refused !== undefined) return { kind: "not-executable", path: refused };
  return { kind: "missing", searched: hasFolder ? bases : folders };
}

function pathFolders(env: Environment, delimiter: string): string[] {
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  const folders = (env[name] ?? "").split(delimiter).map((folder) => folder.replaceAll('"', ""));
  // An empty entry means the current folder, so its contents could replace the program.
  return [...new Set(folders.filter(Boolean))];
}

/** The path itself when its extension can be started; else with the extensions of PATHEXT, in order. */
function withExtensions(base: string, env: Environment): string[] {
  const own = win32.extname(base).toLowerCase();
  if (startedDirectly.has(own)) return [base];
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATHEXT") ?? "PATHEXT";
  const extensions = (env[name] || usualExtensions)
    .split(";")
    .map((extension) => extension.trim().toLowerCase())
    .filter((extension) => startedDirectly.has(extension));
  return extensions.map((extension) => base + extension);
}

/** How to install programs that are often missing. */
const origins: ReadonlyMap<string, string> = new Map([
  ...["npx", "npm", "node"].map((name) => [name, "Install Node.js (https://nodejs.org)"] as const),
  ...["uvx", "uv"].map((name) => [name, "Install uv (https://docs.astral.sh/uv)"] as const),
  ...["bunx", "bun"].map((name) => [name, "Install Bun (https://bun.sh)"] as const),
  ...["pnpm", "yarn"].map((name) => [name, `Install it with: npm install -g ${name}`] as const),
  ...["python", "python3", "pip", "pipx"].map((name) => [name, "Install Python"] as const),
  ["deno", "Install Deno (https://deno.com)"],
  ["docker", "Install Docker, or start it"],
  ["podman", "Install Podman"],
  ["go", "Install Go (https://go.dev)"],
  ["cargo", "Install Rust (https://rustup.rs)"],
  ["java", "Install Java"],
  ["dotnet", "Install .NET (https://dot.net)"],
]);

/** The error for a program that was not found. `searched`: folders, or the one path of the command. */
export function missingProgram(
  server: string,
  command: string,
  searched: readonly string[],
): AppError {
  const name = win32
    .basename(command)
    .toLowerCase()
    .replace(/\.(cmd|exe|bat)$/, "");
  const install = origins.get(name) ?? "Install it";
  if (searched[0] === undefined) {
    const text = `The server ${server} was not started: there is no PATH to search for ${quoted(command)} in. Write its full path as "command".`;
    return new AppError("not_found", text);
  }
  const isPath = command.includes("/") || command.includes("\\");
  const text = isPath
    ? `The server ${server} was not started: there is no file ${searched[0]}. Correct "command".`
    : `The server ${server} was not started: the program ${quoted(command)} was not found. Searched: ${listed(searched)}. ` +
      `${install}, or write its full path as "command", or set PATH in the "env" of the server.`;
  return new AppError("not_found", text);
}

export function notExecutable(server: string, path: string): AppError {
  const text =
    `The server ${server} was not started: ${path} may not be run. ` +
    `Allow it with: chmod +x ${path} – or name the program that runs it as "command", with the path as its first argument.`;
  return new AppError("system", text);
}

export function missingFolder(server: string, cwd: string): AppError {
  const text = `The server ${server} was not started: its folder ${cwd} does not exist. Create it, or correct "cwd".`;
  return new AppError("not_found", text);
}

/** The error for a program that was found but that the system refused to start. */
export function startRefused(server: string, path: string, cause: unknown): AppError {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : "";
  const hint =
    code === "ENOENT"
      ? "the program named in its first line (#!) is missing, or it is made for another system"
      : cause instanceof Error
        ? cause.message
        : String(cause);
  return new AppError("system", `The server ${server} was not started: ${path}: ${hint}.`, {
    cause,
  });
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function listed(folders: readonly string[]): string {
  const shown = folders.slice(0, upstreamSearchedFoldersMax).join(", ");
  const more = folders.length - upstreamSearchedFoldersMax;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
