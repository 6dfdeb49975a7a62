import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter } from "node:path";

import { upstreamLoginPathMsMax } from "../../base/upstream-limits.ts";
import type { LeaderSpec } from "../../commands/process/spawn-leader.ts";
import { isBarePath } from "./bare-path.ts";
import { findProgram, type FoundProgram, type ProgramProbe } from "./find-program.ts";
import { withoutPrompts } from "./program-arguments.ts";
import {
  type Environment,
  serverEnvironment,
  type ServerEnvironmentInput,
} from "./server-environment.ts";
import { missingFolder, missingProgram, notExecutable } from "./start-failure.ts";
import type { ProcessLaunch } from "./upstream-process.ts";
import { batchArguments, isBatchFile } from "./windows-arguments.ts";

export interface LaunchSurroundings {
  /** Our own environment. */
  readonly env: Environment;
  readonly user: ServerEnvironmentInput["user"];
  /** PATH as the user's login shell has it; asked for once and remembered by whoever gives it. */
  readonly loginPath: () => Promise<string | undefined>;
}

/**
 * What is started for a server: its program found, its environment made.
 * @throws AppError `not_found`, `system`, `refused`: what is missing, where it was looked for, what to do
 */
export async function prepareLaunch(
  launch: ProcessLaunch,
  surroundings: LaunchSurroundings,
): Promise<LeaderSpec> {
  const { server, command, cwd } = launch;
  if (!(await isFolder(cwd))) throw missingFolder(server, cwd);
  const { env, found } = await findIn(launch, surroundings);
  if (found.kind === "missing") throw missingProgram(server, command, found.searched);
  if (found.kind === "not-executable") throw notExecutable(server, found.path);
  const args = withoutPrompts(command, launch.args);
  const isVerbatim = process.platform === "win32" && isBatchFile(found.path);
  const given = isVerbatim ? batchArguments(server, args) : args;
  return { argv: [found.path, ...given], cwd, env, isVerbatim };
}

/** The login shell is waited for when the PATH is nobody's, or when the program is not found without it. */
async function findIn(
  launch: ProcessLaunch,
  surroundings: LaunchSurroundings,
): Promise<{ readonly env: Record<string, string>; readonly found: FoundProgram }> {
  const { env: ours, user } = surroundings;
  const search = async (
    loginPath: string | undefined,
  ): Promise<{ env: Record<string, string>; found: FoundProgram }> => {
    const env = serverEnvironment({
      env: ours,
      user,
      loginPath,
      platform: process.platform,
      inheritEnv: launch.inheritEnv,
      own: launch.env,
    });
    const { command, cwd, path = [] } = launch;
    const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
    if (path.length > 0) env[name] = [...path, env[name] ?? ""].join(delimiter);
    const found = await findProgram({ command, cwd, env, platform: process.platform, probe });
    return { env, found };
  };
  const own = await search(undefined);
  const isEnough = own.found.kind === "found" && !isBarePath(ours["PATH"]);
  if (isEnough || process.platform === "win32") return own;
  const loginPath = await Promise.race([
    surroundings.loginPath(),
    Bun.sleep(upstreamLoginPathMsMax).then(() => undefined),
  ]);
  return loginPath === undefined ? own : search(loginPath);
}

const probe: ProgramProbe = async (path) => {
  try {
    if (!(await stat(path)).isFile()) return "none";
  } catch {
    return "none";
  }
  if (process.platform === "win32") return "program";
  return access(path, constants.X_OK).then(
    () => "program" as const,
    () => "not-executable" as const,
  );
};

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
