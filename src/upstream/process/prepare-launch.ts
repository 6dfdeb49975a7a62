import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, win32 } from "node:path";

import { AppError } from "../../base/errors.ts";
import { upstreamLoginPathMsMax } from "../../base/upstream-limits.ts";
import type { Environment } from "../../base/values.ts";
import type { LeaderSpec } from "../../commands/process/command.ts";
import {
  findProgram,
  type FoundProgram,
  missingFolder,
  missingProgram,
  notExecutable,
  type ProgramProbe,
} from "./find-program.ts";
import { serverEnvironment, type ServerEnvironmentInput } from "./server-environment.ts";
import type { ProcessLaunch } from "./upstream-process.ts";

/** `npx` asks before it installs a package, on the stdin that carries messages; `-y` prevents that. */
const subcommands: ReadonlyMap<string, readonly string[]> = new Map([["npm", ["exec", "x"]]]);
const answers = new Set(["-y", "--yes", "--no", "--no-install", "--yes=true", "--yes=false"]);

/** The arguments of a server, extended so that its program asks nothing on stdin (EN2). */
export function withoutPrompts(command: string, args: readonly string[]): readonly string[] {
  // The Windows form knows both separators.
  const program = win32
    .basename(command)
    .toLowerCase()
    .replace(/\.(cmd|exe|ps1|bat)$/, "");
  if (program === "npx") return isAnswered(args) ? args : ["-y", ...args];
  const [subcommand = "", ...rest] = args;
  if (subcommands.get(program)?.includes(subcommand) !== true) return args;
  return isAnswered(rest) ? args : [subcommand, "-y", ...rest];
}

/** Whether the options before the package answer npx's question; later arguments are for the server. */
function isAnswered(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (answers.has(arg)) return true;
    if (arg === "--" || !arg.startsWith("-")) return false;
    if (optionsWithWord.has(arg)) at++;
  }
  return false;
}

const optionsWithWord = new Set(["-p", "--package", "-c", "--call", "-w", "--workspace"]);

/**
 * Characters that are not safe in arguments of a batch file: `cmd.exe`, which runs it, ends a quoted text at `"`,
 * replaces `%NAME%` even within quotes, `!NAME!` where that is switched on, and ends the command at a line break.
 */
// eslint-disable-next-line no-control-regex -- refusing control characters is the purpose
const unquotable = /["%!\u0000-\u001f]/;

/** True for a file that Windows runs through `cmd.exe`. */
export function isBatchFile(path: string): boolean {
  return /\.(bat|cmd)[. ]*$/i.test(path);
}

/**
 * The arguments of a batch file, each in quotes, for a command line that is passed on verbatim.
 * @throws AppError `refused` for one that cannot be quoted
 */
export function batchArguments(server: string, args: readonly string[]): string[] {
  return args.map((arg) => {
    const found = unquotable.exec(arg)?.[0];
    if (found === undefined) return `"${arg.replace(/\\+$/, "$&$&")}"`;
    const shown = JSON.stringify(found);
    throw new AppError(
      "refused",
      `The server ${server} was not started: one of its arguments contains ${shown}, which cannot be passed safely to a batch file (.cmd, .bat). ` +
        `Name the program itself as "command", for example "node" with the path of the script as its first argument.`,
    );
  });
}

export interface LaunchSurroundings {
  /** The environment of scorpiox-code, for a launch without a `base`. */
  readonly env: Environment;
  readonly user: ServerEnvironmentInput["user"];
  /** PATH of the user's login shell; the implementation asks once and remembers it. */
  readonly loginPath: () => Promise<string | undefined>;
}

/**
 * Finds the program of a server and makes its environment.
 * @throws AppError `not_found`, `system`, `refused`: what is missing, which places were searched, what to do
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

/**
 * Finds the program. Waits for the login shell only when PATH is a bare system default or does not have the program.
 */
async function findIn(
  launch: ProcessLaunch,
  surroundings: LaunchSurroundings,
): Promise<{ readonly env: Record<string, string>; readonly found: FoundProgram }> {
  const { user } = surroundings;
  const ours = launch.base ?? surroundings.env;
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

/** Folders of a PATH that no user has set up: that of a desktop or of a service manager. */
const systemFolders = new Set([
  "/bin",
  "/sbin",
  "/usr/bin",
  "/usr/sbin",
  "/usr/local/bin",
  "/usr/local/sbin",
  "/usr/games",
  "/usr/local/games",
  "/snap/bin",
]);

/** True for the PATH of a process that was started by a desktop and not from a shell. */
export function isBarePath(path: string | undefined): boolean {
  return (path ?? "").split(":").every((folder) => folder === "" || systemFolders.has(folder));
}
