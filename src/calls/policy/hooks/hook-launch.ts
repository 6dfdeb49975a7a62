import { extname } from "node:path";

import { AppError } from "../../../base/errors.ts";
import type { HookLaunch } from "./hook.ts";

/** Where programs are found; values, so that every system can be asked about on any. */
export interface HookPrograms {
  readonly platform: NodeJS.Platform;
  /** The bash that runs commands, when it is one. */
  readonly bash: string | undefined;
  /** The absolute path of a program on the PATH of commands. */
  readonly find: (program: string) => string | undefined;
}

const byExtension: ReadonlyMap<string, HookLaunch> = new Map([
  [".sh", "shell"],
  [".py", "python"],
  [".ps1", "powershell"],
  [".bat", "batch"],
  [".cmd", "batch"],
]);

/** How the file would be started, or why not. `mode` as `stat` gives it. */
export function launchOf(
  name: string,
  mode: number,
  platform: NodeJS.Platform,
): { readonly launch: HookLaunch } | { readonly reason: string; readonly isForOther: boolean } {
  const extension = extname(name).toLowerCase();
  const launch = byExtension.get(extension);
  if (platform === "win32") {
    if (launch !== undefined) return { launch };
    if (extension === ".exe" || extension === ".com") return { launch: "direct" };
    const reason = "Windows runs .sh, .py, .ps1, .bat, .cmd, .exe and .com only";
    return { reason, isForOther: true };
  }
  if (launch === "powershell" || launch === "batch")
    return { reason: "it is for Windows", isForOther: true };
  // The first line of an executable file names its interpreter, which may differ from the one of its extension.
  if ((mode & 0o111) !== 0) return { launch: "direct" };
  if (launch !== undefined) return { launch };
  const reason = "it is not executable: chmod +x, or give it the extension .sh or .py";
  return { reason, isForOther: false };
}

/**
 * Program and first arguments that start the file at `path`, which begins with `head`.
 * @throws AppError `system` when its interpreter is missing
 */
export function argvFor(
  launch: HookLaunch,
  path: string,
  head: Uint8Array,
  programs: HookPrograms,
): readonly string[] {
  switch (launch) {
    case "direct":
      return isPlainText(head) ? [...shell(programs), path] : [path];
    case "shell":
      return [...shell(programs), path];
    case "python":
      return [...python(programs), path];
    case "powershell": {
      const program = programs.find("pwsh") ?? programs.find("powershell");
      const flags = ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"];
      return [found(program, "pwsh"), ...flags, path];
    }
    case "batch":
      return ["cmd.exe", "/d", "/c", batchPath(path)];
  }
}

/** No "#!" and no program: the system refuses to start it, and a shell would read it. */
function isPlainText(head: Uint8Array): boolean {
  if (head[0] === 0x23 && head[1] === 0x21) return false;
  return !head.includes(0);
}

function shell({ bash, find, platform }: HookPrograms): readonly string[] {
  const posix = platform === "win32" ? undefined : (find("bash") ?? "/bin/sh");
  return [found(bash ?? posix, "bash")];
}

function python({ find, platform }: HookPrograms): readonly string[] {
  const launcher = platform === "win32" ? find("py") : undefined;
  if (launcher !== undefined) return [launcher, "-3"];
  return [found(find("python3") ?? find("python"), "python3")];
}

function found(program: string | undefined, name: string): string {
  if (program !== undefined) return program;
  throw new AppError(
    "system",
    `${name} is not on the PATH: install it, or write the hook otherwise.`,
  );
}

/** cmd.exe reads these characters as its own, whatever is put around them. */
function batchPath(path: string): string {
  if (!/[&|<>^%"!]/.test(path)) return path;
  throw new AppError("system", `cmd.exe cannot start a file whose path has one of & | < > ^ % " !`);
}
