import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { secretsOf } from "../calls/policy/audit/redact.ts";
import { HookApprovals } from "../calls/policy/hooks/hook-approvals.ts";
import type { HookPrograms } from "../calls/policy/hooks/hook-launch.ts";
import { HookRunner } from "../calls/policy/hooks/hook-runner.ts";
import { hooksFoldersOf } from "../calls/policy/hooks/hooks-folders.ts";
import { Hooks, type HooksParts } from "../calls/policy/hooks/hooks.ts";
import { SessionFolders } from "../calls/policy/hooks/session-folder.ts";
import { ownCommand } from "../commands/process/own-command.ts";
import { findShell } from "../commands/process/shell.ts";
import type { StateParts } from "./state-parts.ts";

export interface CreateHooksParts extends Pick<
  StateParts,
  "start" | "env" | "warn" | "instanceId" | "supervisor" | "environment"
> {
  readonly onHookEnd?: HooksParts["onEnd"];
}

/** Hooks of the user, and of the project that the configuration is of, as this start has them. */
export function createHooks(parts: CreateHooksParts): Hooks {
  const { start, env, warn, instanceId, supervisor, environment, onHookEnd } = parts;
  const { dirs, config } = start;
  const { projectDir, scorpioxDir } = dirs;
  const depth = depthOf(env["SX_HOOK_DEPTH"]);
  const shell = findShell({
    shellPath: config.settings.shellPath,
    env,
    platform: process.platform,
  });
  const bash = /[\\/](?:bash|sh)(?:\.exe)?$/i.test(shell.path) ? shell.path : undefined;
  const runner = new HookRunner({
    runProgram(spec) {
      supervisor.collectOrphans();
      return supervisor.runProgram(spec);
    },
    environment,
    ownEnvironment: ownEnvironment(parts, depth),
    programs: (path) => programsOn(path, bash),
    approvals: projectDir === undefined ? undefined : new HookApprovals(scorpioxDir, projectDir),
  });
  return new Hooks({
    folders: hooksFoldersOf(dirs),
    runner,
    sessions: new SessionFolders(sessionsDirs(scorpioxDir)),
    instanceId,
    timeoutMs: config.settings.hooks.timeoutMs,
    depth,
    secrets: secretsOf(env),
    warn,
    ...(onHookEnd === undefined ? {} : { onEnd: onHookEnd }),
  });
}

/** A hook finds the program that runs it, its folder and how deep it is. */
function ownEnvironment({ start, env }: CreateHooksParts, depth: number): Record<string, string> {
  const [program, ...rest] = ownCommand();
  return {
    SX_HOOK_DEPTH: String(depth + 1),
    ...(program === undefined || rest.length > 0 ? {} : { SX_BIN: program }),
    // The environment of commands has none of our settings: this one is where, not what.
    ...(env["SCORPIOX_HOME"] ? { SCORPIOX_HOME: resolve(start.dirs.scorpioxDir) } : {}),
  };
}

function depthOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : 0;
}

function programsOn(path: string | undefined, bash: string | undefined): HookPrograms {
  const find = (program: string): string | undefined =>
    Bun.which(program, path === undefined ? {} : { PATH: path }) ?? undefined;
  return { platform: process.platform, bash, find };
}

function sessionsDirs(scorpioxDir: string): readonly string[] {
  const uid = process.getuid?.() ?? "user";
  return [join(scorpioxDir, "sessions"), join(tmpdir(), `scorpiox-sessions-${uid}`)];
}
