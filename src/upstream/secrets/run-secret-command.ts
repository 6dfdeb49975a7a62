import { AppError, messageOf } from "../../base/errors.ts";
import { secretCommandBytesMax, secretCommandMsMax } from "../../base/upstream-limits.ts";
import type { Environment } from "../../base/values.ts";
import { absenceOfShell } from "../../commands/process/command.ts";
import { Guardian } from "../../commands/process/guardian.ts";
import { ownerMark, ownerVariable } from "../../commands/process/processes.ts";
import { loadWindowsJobs } from "../../commands/process/windows-jobs.ts";
import { findShell } from "../../commands/process/shell.ts";

export interface SecretCommandParts {
  /**
   * The command gets all of it except scorpiox-code's own settings: the user wrote it, and it may need an agent or a
   * session bus.
   */
  readonly env: Environment;
  readonly cwd: string;
  /** Ends the command. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the command of `${cmd:…}` in the user's shell and returns its stdout. Its stdin is empty. Its stderr goes into
 * no message, since it may contain the secret. The command ends with this process, however that ends.
 * @throws AppError `system`: it failed or took too long; `limit`: it wrote too much; `cancelled`
 */
export async function runSecretCommand(
  command: string,
  { env, cwd, signal }: SecretCommandParts,
): Promise<string> {
  const isCancelled = (): boolean => signal?.aborted === true;
  if (isCancelled()) throw cancelled();
  const { path, args } = findShell({
    shellPath: env["SHELL_PATH"],
    env,
    platform: process.platform,
  });
  const instanceId = crypto.randomUUID().replaceAll("-", "");
  // The main thread's guardian does not know the children of this Worker.
  const guardian = new Guardian(instanceId, { addDirectChild() {}, removeDirectChild() {} });
  guardian.start();
  try {
    const mark = ownerMark(instanceId, 1);
    const child = start([path, ...args, command], cwd, { ...ownless(env), [ownerVariable]: mark });
    guardian.add(child.pid);
    try {
      begin(child);
      return await untilStopped(outputOf(child), signal);
    } finally {
      kill(child);
      guardian.remove(child.pid);
    }
  } finally {
    // Processes that a finished command left behind, such as the agent of a password manager, may stay.
    if (isCancelled()) guardian[Symbol.dispose]();
    else guardian.dismiss();
  }
}

type Child = Bun.Subprocess<"pipe" | "ignore", "pipe", "ignore">;

/**
 * A POSIX shell that becomes the command at the first line of its input, and ends where none comes: the command cannot
 * begin before the guardian knows of it, whenever this process is killed.
 */
const gate = ["/bin/sh", "-c", 'read -r _ && exec "$@" </dev/null', "sh"];

function ownless(env: SecretCommandParts["env"]): SecretCommandParts["env"] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("SCORPIOX_")),
  );
}

function start(argv: readonly string[], cwd: string, env: SecretCommandParts["env"]): Child {
  const isGated = process.platform !== "win32";
  const absence = absenceOfShell(argv[0] ?? "");
  if (absence !== undefined) {
    const advice = "set SHELL_PATH to an existing shell";
    throw new AppError("system", `it cannot be started: ${absence}; ${advice}`);
  }
  try {
    const child = Bun.spawn(isGated ? [...gate, ...argv] : [...argv], {
      cwd,
      env: { ...env },
      stdio: [isGated ? "pipe" : "ignore", "pipe", "ignore"],
      detached: isGated,
      windowsHide: true,
    });
    loadWindowsJobs()?.adopt(child.pid);
    return child;
  } catch (error) {
    throw new AppError("system", `it cannot be started: ${messageOf(error)}`);
  }
}

function begin(child: Child): void {
  const { stdin } = child;
  if (stdin === undefined) return;
  // Where it was killed before it began, its end says so.
  const sent = Promise.all([stdin.write("\n"), stdin.end()]);
  sent.catch(() => undefined);
}

/**
 * Its output, or the reason for having none. Stops waiting at the limit, since processes that it started may hold its
 * pipe open.
 */
async function untilStopped(output: Promise<string>, signal?: AbortSignal): Promise<string> {
  const stopped = Promise.withResolvers<never>();
  const late = setTimeout(() => stopped.reject(tookTooLong()), secretCommandMsMax);
  const cancel = (): void => stopped.reject(cancelled());
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await Promise.race([output, stopped.promise]);
  } finally {
    clearTimeout(late);
    signal?.removeEventListener("abort", cancel);
    output.catch(() => {});
  }
}

async function outputOf(child: Child): Promise<string> {
  const output = await readBounded(child);
  const exitCode = await child.exited;
  if (child.signalCode !== null) throw new AppError("system", `it was ended: ${child.signalCode}`);
  if (exitCode !== 0) throw new AppError("system", `it ended with exit code ${exitCode}`);
  return output;
}

async function readBounded(child: Child): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of child.stdout) {
    bytes += chunk.byteLength;
    if (bytes > secretCommandBytesMax) {
      throw new AppError("limit", `it writes more than ${secretCommandBytesMax} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Kills the process group; ignores processes that have ended already. */
function kill(child: Child): void {
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

function tookTooLong(): AppError {
  return new AppError("system", `it was ended after ${secretCommandMsMax / 1000} s`);
}

function cancelled(): AppError {
  return new AppError("cancelled", "the server is shutting down");
}
