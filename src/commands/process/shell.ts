import { existsSync } from "node:fs";
import { basename, join, win32 } from "node:path";

import { loginShellMsMax } from "../../base/limits.ts";
import type { Environment } from "../../base/values.ts";
import type { CommandExit } from "./command.ts";
import { ownerVariable } from "./processes.ts";

/** The shell that runs commands. */
export interface Shell {
  readonly path: string;
  /** Arguments before the command text. */
  readonly args: readonly string[];
  /** Put before the command text, where the shell itself has to join stderr to stdout. */
  readonly prefix: string;
}

/** The places where a shell may be, as the environment gives them. */
export interface ShellSearch {
  /** SHELL_PATH of the configuration. */
  readonly shellPath: string | undefined;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
}

/**
 * `bash -c`; on Windows the Bash of Git, then PowerShell. SHELL_PATH overrides. On a system without bash, `/bin/sh` is
 * used.
 */
export function findShell(search: ShellSearch): Shell {
  const path = search.shellPath ?? firstExisting(candidates(search));
  return describeShell(path, search.platform);
}

function candidates({ env, platform }: ShellSearch): string[] {
  if (platform !== "win32") {
    return ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", ...onPath(env, "bash"), "/bin/sh"];
  }
  const { LOCALAPPDATA: localFolder } = env;
  const userRoot = localFolder === undefined ? undefined : `${localFolder}\\Programs`;
  const roots = [env["ProgramFiles"], env["ProgramFiles(x86)"], userRoot];
  const bashes = roots.filter(Boolean).map((root) => `${root}\\Git\\bin\\bash.exe`);
  return [...bashes, ...onPath(env, "pwsh.exe"), ...onPath(env, "powershell.exe")];
}

function onPath(env: ShellSearch["env"], program: string): string[] {
  const path = env["PATH"] ?? env["Path"] ?? "";
  const separator = program.endsWith(".exe") ? ";" : ":";
  return path
    .split(separator)
    .filter(Boolean)
    .map((folder) => join(folder, program));
}

function firstExisting(paths: readonly string[]): string {
  return paths.find((path) => existsSync(path)) ?? paths.at(-1) ?? "sh";
}

function describeShell(path: string, platform: NodeJS.Platform): Shell {
  // The Windows form knows both separators.
  const name = win32.basename(path).toLowerCase();
  if (name.startsWith("pwsh") || name.startsWith("powershell")) {
    const args = ["-NoProfile", "-NonInteractive", "-Command"];
    return { path, args, prefix: "" };
  }
  return { path, args: ["-c"], prefix: platform === "win32" ? "exec 2>&1; " : "" };
}

/** Runs a program and returns its output; the owner of all children provides it. */
export type RunProgram = (
  argv: readonly string[],
  timeoutMs: number,
) => Promise<{ readonly output: string; readonly exit: CommandExit }>;

const beginMark = "--scorpiox-environment-begin--";
const endMark = "--scorpiox-environment-end--";

/**
 * PATH as the user's login shell sets it, or undefined when it cannot be learned. Interactive first, since many keep
 * their PATH in `.bashrc` or `.zshrc`; when that hangs or fails, a plain login shell. `env` prints the variable,
 * because shells differ in how they print lists, and the marks separate it from the greetings that start-up files
 * print.
 */
export async function readLoginPath(shell: string, run: RunProgram): Promise<string | undefined> {
  const script = `echo ${beginMark}; /usr/bin/env; echo ${endMark}`;
  for (const flags of loginFlags(shell)) {
    const { output } = await run([shell, ...flags, script], loginShellMsMax);
    const path = pathFrom(output);
    if (path !== undefined) return path;
  }
  return undefined;
}

function loginFlags(shell: string): string[][] {
  // These know no combined login and interactive form.
  if (["dash", "sh", "ash", "busybox"].includes(basename(shell))) return [["-l", "-c"]];
  if (["csh", "tcsh", "nu", "nologin", "false"].includes(basename(shell))) return [["-c"]];
  return [
    ["-l", "-i", "-c"],
    ["-l", "-c"],
  ];
}

function pathFrom(output: string): string | undefined {
  const begin = output.lastIndexOf(beginMark);
  const end = output.indexOf(endMark, begin);
  if (begin === -1 || end === -1) return undefined;
  const line = output
    .slice(begin, end)
    .split("\n")
    .find((candidate) => candidate.startsWith("PATH="));
  return line?.slice("PATH=".length).trim() || undefined;
}

interface ChildEnvironmentInput {
  /** The server's own environment. */
  readonly env: Environment;
  readonly user: { readonly name: string; readonly homeDir: string; readonly shell: string | null };
  /** PATH of the user's login shell, when it could be learned. */
  readonly loginPath: string | undefined;
  readonly platform: NodeJS.Platform;
}

/**
 * The environment that commands get: the server's own, completed with the variables of a login, without
 * the server's own settings (`SCORPIOX_*`, which may hold tokens).
 */
export function childEnvironment(input: ChildEnvironmentInput): Record<string, string> {
  const { env, user, loginPath, platform } = input;
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.startsWith("SCORPIOX_")) child[name] = value;
  }
  if (platform === "win32") return child;
  child["HOME"] ??= user.homeDir;
  child["USER"] ??= user.name;
  child["LOGNAME"] ??= user.name;
  if (user.shell !== null) child["SHELL"] ??= user.shell;
  child["PATH"] = joinPaths(child["PATH"], loginPath);
  delete child[ownerVariable];
  return child;
}

/**
 * The login shell's PATH, preceded by the folders that only the server's own has: a virtual environment or a
 * version manager that was active where the client was started stays in front.
 */
export function joinPaths(own: string | undefined, login: string | undefined): string {
  const loginFolders = (login ?? "").split(":").filter(Boolean);
  const known = new Set(loginFolders);
  const ownFolders = (own ?? "").split(":").filter((folder) => folder && !known.has(folder));
  const joined = [...new Set([...ownFolders, ...loginFolders])].join(":");
  return joined || "/usr/local/bin:/usr/bin:/bin";
}
