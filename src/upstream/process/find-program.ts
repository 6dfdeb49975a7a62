import { posix, win32 } from "node:path";

import type { Environment } from "./server-environment.ts";

/** What there is at a path. */
export type ProgramProbe = (path: string) => Promise<"program" | "not-executable" | "none">;

export interface ProgramSearch {
  readonly command: string;
  readonly cwd: string;
  /** Of the child: PATH and, on Windows, PATHEXT. */
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly probe: ProgramProbe;
}

export type FoundProgram =
  | { readonly kind: "found"; readonly path: string }
  /** There is a file of the name that cannot be run. */
  | { readonly kind: "not-executable"; readonly path: string }
  /** `searched`: the folders, or the one path. */
  | { readonly kind: "missing"; readonly searched: readonly string[] };

/** Of a Windows whose environment says nothing; scripts of other kinds need a program of their own. */
const usualExtensions = ".COM;.EXE;.BAT;.CMD";
const startedDirectly = new Set([".com", ".exe", ".bat", ".cmd"]);

/** Finds the program that a command names, as the system would, without a shell. */
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
  // An empty entry means the folder that one is in: whoever controls that would choose our program.
  return [...new Set(folders.filter(Boolean))];
}

/** With an extension that can be started it is taken as it is; else PATHEXT says in which order they are tried. */
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
