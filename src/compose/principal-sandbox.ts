import { join } from "node:path";

import { type Cancellation, withSignal } from "../base/cancellation.ts";
import { AppError, type AppErrorCode } from "../base/errors.ts";
import { fileCopyMsMax } from "../base/limits.ts";
import type { CopiedFile, FileToCopy } from "../calls/router/background-calls.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { Confinement } from "../commands/background/command-launcher.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import { findShell } from "../commands/process/shell.ts";
import {
  PrincipalSandbox,
  type PrincipalSandboxParts,
} from "../commands/sandbox/principal/principal-sandbox.ts";
import { runTrial, searchPath } from "./sandbox-trials.ts";

export interface SandboxParts extends Pick<
  PrincipalSandboxParts,
  "env" | "tmpDir" | "own" | "secrets" | "hasNetwork"
> {
  readonly start: StartUp;
}

/** The sandbox of several principals' commands on this machine. */
export function createPrincipalSandbox({ start, ...parts }: SandboxParts): PrincipalSandbox {
  const { env } = parts;
  const { platform } = process;
  const { settings } = start.config;
  const { homeDir, scorpioxDir } = start.dirs;
  const folders = [join(homeDir, ".claude/skills"), join(scorpioxDir, "skills")];
  return new PrincipalSandbox({
    ...parts,
    platform,
    findProgram: (name) =>
      Bun.which(name, { PATH: searchPath(env["PATH"], process.cwd()) }) ?? undefined,
    shellPath: findShell({ shellPath: settings.shellPath, env, platform }).path,
    isRoot: process.getuid?.() === 0,
    shared: [...folders, ...settings.skills.additional],
    run: (trial, cwd) => runTrial(trial, cwd, env["PATH"] ?? ""),
  });
}

interface CopyParts {
  readonly cancellation: Cancellation;
  readonly supervisor: Pick<Supervisor, "runProgram">;
}

/**
 * Copies a file by a program in the sandbox of a principal.
 * @param confinement with a folder for scripts, in which the copy is; released with the copy, or when there is none
 * @throws AppError `not_found`, `refused`, `system`, `cancelled`
 */
export async function copyWithin(
  confinement: Confinement,
  { path, bytesMax }: FileToCopy,
  { cancellation, supervisor }: CopyParts,
): Promise<CopiedFile> {
  const release = (): Promise<void> => confinement.release();
  const { data, env, scripts } = confinement;
  try {
    if (scripts === undefined) throw new AppError("system", "There is no room for a copy.");
    const program = ["/bin/sh", "-c", copyScript, "sh", path, String(bytesMax + 1)];
    const execution = await withSignal(cancellation, (signal) =>
      supervisor.runProgram({
        argv: confinement.wrap(program),
        name: "copy of a file",
        cwd: "/",
        env,
        timeoutMs: fileCopyMsMax,
        signal,
        onOutput: () => undefined,
        ...(data === undefined ? {} : { data }),
      }),
    );
    assertCopied(path, execution.exit?.exitCode ?? null);
    return { path: join(scripts.folder, copyName), release };
  } catch (error) {
    await release();
    throw error;
  }
}

const copyName = "copy";
/** Runs in the view of the principal's commands: a link leads only to files that they could read anyway. */
const copyScript = `[ -e "$1" ] || exit 3; [ -f "$1" ] || exit 4; [ -r "$1" ] || exit 5
exec head -c "$2" -- "$1" > "$TMPDIR/${copyName}"`;

function assertCopied(path: string, exitCode: number | null): void {
  const shown = JSON.stringify(path.slice(0, 400));
  if (exitCode === 0) return;
  const [code, fault] = copyFaults.get(exitCode) ?? ["system", "could not be copied. Try again"];
  throw new AppError(code, `${shown} ${fault}.`);
}

const copyFaults: ReadonlyMap<number | null, readonly [AppErrorCode, string]> = new Map([
  [3, ["not_found", "does not exist in your workspace"]],
  [4, ["refused", "is not a regular file"]],
  [5, ["system", "cannot be read: permission denied"]],
] as const);
