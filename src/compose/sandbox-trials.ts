import { tmpdir } from "node:os";
import { isAbsolute } from "node:path";

import { startTimer } from "../base/cancellation.ts";
import { sandboxFailureKeptMs, sandboxTrialMsMax } from "../base/limits.ts";
import { ownRunningCommand } from "../base/product.ts";
import type { Environment } from "../base/values.ts";
import type { StartUp } from "../cli/start-up.ts";
import { startCommand } from "../commands/process/command.ts";
import { signalGroup } from "../commands/process/processes.ts";
import { findShell } from "../commands/process/shell.ts";
import type { BackendParts, Start } from "../commands/sandbox/backends.ts";
import type { SandboxReport, SandboxSettings } from "../commands/sandbox/notes.ts";

/** How sandboxes are found on this machine, and tried with `run`. */
export function backendParts(
  start: StartUp,
  env: Environment,
  run: BackendParts["run"],
): BackendParts {
  const { platform } = process;
  const { shellPath } = start.config.settings;
  return {
    platform,
    ownCommand: ownRunningCommand(),
    findProgram: (name) =>
      Bun.which(name, { PATH: searchPath(env["PATH"], process.cwd()) }) ?? undefined,
    shellPath: findShell({ shellPath, env, platform }).path,
    tmpDir: tmpdir(),
    isRoot: process.getuid?.() === 0,
    failureKeptMs: sandboxFailureKeptMs,
    run,
  };
}

/**
 * The system's own folders first. A program of a project must not serve as the sandbox: `npx` puts folders of the project on PATH,
 * and the program found is started outside of any sandbox.
 */
export function searchPath(path: string | undefined, projectDir: string): string {
  const folders = (path ?? "").split(":").filter((folder) => {
    const ofProject =
      `${folder}/`.startsWith(`${projectDir}/`) || folder.split("/").includes("node_modules");
    return isAbsolute(folder) && !ofProject;
  });
  return [...systemFolders, ...folders].join(":");
}

const systemFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

export function sandboxSettings({ config }: StartUp): SandboxSettings {
  const { backend, ...chosen } = config.settings.sandbox;
  return { ...chosen, backend: backend === "auto" ? undefined : backend };
}

/** Tries the sandboxes of this machine, without a server. */
export async function probeSandbox(start: StartUp, env: Environment): Promise<SandboxReport> {
  const { Backends } = await import("../commands/sandbox/backends.ts");
  const { reportOn } = await import("../commands/sandbox/notes.ts");
  const run: BackendParts["run"] = (trial, cwd) => runTrial(trial, cwd, env["PATH"] ?? "");
  return reportOn(sandboxSettings(start), new Backends(backendParts(start, env, run)));
}

/** Runs it to its end, without a server. */
export async function runTrial(
  { command: argv, data }: Start,
  cwd: string,
  path: string,
): Promise<{ exitCode: number | null; output: string }> {
  const chunks: Uint8Array[] = [];
  const onOutput = (chunk: Uint8Array): void => void chunks.push(chunk.slice());
  const { pid, ended } = startCommand({ argv, cwd, env: { PATH: path }, onOutput, data });
  const timer = startTimer(sandboxTrialMsMax, () => void signalGroup(pid, "SIGKILL"));
  const { exitCode } = await ended;
  timer.stop();
  return { exitCode, output: Buffer.concat(chunks).toString() };
}
