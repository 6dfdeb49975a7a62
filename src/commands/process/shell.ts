import { existsSync } from "node:fs";
import { join, win32 } from "node:path";

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
  readonly env: Readonly<Record<string, string | undefined>>;
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
