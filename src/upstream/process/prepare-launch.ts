import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, win32 } from "node:path";

import { AppError } from "../../base/errors.ts";
import { upstreamLoginPathMsMax } from "../../base/upstream-limits.ts";
import type { LeaderSpec } from "../../commands/process/command.ts";
import {
  findProgram,
  type FoundProgram,
  missingFolder,
  missingProgram,
  notExecutable,
  type ProgramProbe,
} from "./find-program.ts";
import {
  type Environment,
  serverEnvironment,
  type ServerEnvironmentInput,
} from "./server-environment.ts";
import type { ProcessLaunch } from "./upstream-process.ts";

/** `npx` asks before it installs a package, on a stdin that carries messages: it is told not to. */
const subcommands: ReadonlyMap<string, readonly string[]> = new Map([["npm", ["exec", "x"]]]);
const answers = new Set(["-y", "--yes", "--no", "--no-install", "--yes=true", "--yes=false"]);

/** The arguments of a server, completed so that its program asks nothing on stdin (EN2). */
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

/** Only what is before the package is for npx; the rest is for the server. */
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
 * What a batch file cannot be given safely: `cmd.exe`, which runs it, ends a quoted text at `"`, replaces `%NAME%` even
 * within quotes, `!NAME!` where that is switched on, and ends the command at a line break.
 */
// eslint-disable-next-line no-control-regex -- control characters are what is refused
const unquotable = /["%!\u0000-\u001f]/;

/** True for what Windows runs through `cmd.exe`. */
export function isBatchFile(path: string): boolean {
  return /\.(bat|cmd)[. ]*$/i.test(path);
}

/**
 * The arguments of a batch file, each in quotes, to be passed on as they are.
 * @throws AppError `refused` for one that cannot be quoted
 */
export function batchArguments(server: string, args: readonly string[]): string[] {
  return args.map((arg) => {
    const found = unquotable.exec(arg)?.[0];
    if (found === undefined) return `"${arg.replace(/\\+$/, "$&$&")}"`;
    const shown = JSON.stringify(found);
    throw new AppError(
      "refused",
      `The server ${server} was not started: an argument of it contains ${shown}, which cannot be passed safely to a batch file (.cmd, .bat). ` +
        `Name the program itself as "command", for example "node" with the path of the script as its first argument.`,
    );
  });
}

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

/** What there is in a PATH that nobody has set up: that of a desktop or of a service manager. */
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
