import { join } from "node:path";

import type { StartUp } from "../cli/start-up.ts";
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
