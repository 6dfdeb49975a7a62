import { closeSync, existsSync, writeSync } from "node:fs";
import { isAbsolute, parse } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import { limitCommand, loadLimitMarks } from "./command-limits.ts";
import { type Libc, loadLibc } from "./libc.ts";
import type { Orphanage } from "./orphanage.ts";
import { OutputPipe, type OutputReceiver } from "./output-pipe.ts";
import { ownerVariable } from "./processes.ts";
import { loadWindowsJobs } from "./windows-jobs.ts";

/** A running child that leads a process group (and session) of its own. stdin is the null device. */
export interface RunningCommand {
  /** Process id, and id of the group that it leads. */
  readonly pid: number;
  /** Resolves when the leader has ended and its output is delivered. Never rejects. */
  readonly ended: Promise<CommandExit>;
}

/**
 * Starts a command.
 * @throws AppError `system` when the program or the folder is missing, or the system has no room.
 */
export function startCommand(spec: CommandSpec): RunningCommand {
  const libc = loadLibc();
  if (libc !== undefined) return startWithOnePipe(spec, libc);
  if (spec.data === undefined) return startWithTwoPipes(spec);
  throw startFailure(spec, new Error("descriptor 3 needs the C library, which cannot be loaded"));
}

/** A child that is running and waits for its command. */
export interface WaitingCommand extends RunningCommand {
  /** Writes `text` to its descriptor 3 and closes that. False when it is gone. Call it once. */
  release(text: string): boolean;
  /** Closes descriptor 3 without a word, which ends it. */
  dismiss(): void;
}

/**
 * Starts a program that reads what to do from descriptor 3. Undefined where that cannot be done.
 * @throws AppError `system`, as `startCommand`
 */
export function startWaitingCommand(spec: CommandSpec): WaitingCommand | undefined {
  const libc = loadLibc();
  if (libc === undefined) return undefined;
  const [readFd, writeFd] = libc.createPipe();
  try {
    const { pid, ended, output } = startOnPipe(spec, libc, [readFd]);
    const release = (text: string): boolean => {
      output.start();
      return writeAndClose(writeFd, text);
    };
    return { pid, ended, release, dismiss: () => closeSync(writeFd) };
  } catch (error) {
    closeSync(writeFd);
    throw error;
  } finally {
    closeSync(readFd);
  }
}

function startWithOnePipe(spec: CommandSpec, libc: Libc): RunningCommand {
  const dataFds = spec.data === undefined ? [] : [filledPipe(spec.data, libc)];
  try {
    const { pid, ended, output } = startOnPipe(spec, libc, dataFds);
    output.start();
    return { pid, ended };
  } finally {
    for (const fd of dataFds) closeSync(fd);
  }
}

/** The read end of a pipe that holds `data` and has no writer any more. */
export function filledPipe(data: Uint8Array, libc: Libc): number {
  const [readFd, writeFd] = libc.createPipe();
  try {
    writeSync(writeFd, data);
  } finally {
    closeSync(writeFd);
  }
  return readFd;
}

function startOnPipe(
  spec: CommandSpec,
  libc: Libc,
  more: readonly number[],
): RunningCommand & { readonly output: OutputPipe } {
  const [readFd, writeFd] = libc.createPipe();
  const exit = Promise.withResolvers<CommandExit>();
  let child: Bun.Subprocess;
  try {
    child = spawnLeader(spec, ["ignore", writeFd, writeFd, ...more], exit.resolve);
    limitCommand(libc, child.pid);
  } catch (error) {
    closeSync(readFd);
    throw startFailure(spec, error);
  } finally {
    closeSync(writeFd);
  }
  const output = new OutputPipe(libc, readFd, spec.onOutput);
  const ended = exit.promise.then(async (how) => {
    await output.finish();
    return how;
  });
  return { pid: child.pid, ended, output };
}

function writeAndClose(fd: number, text: string): boolean {
  try {
    writeSync(fd, text);
    return true;
  } catch {
    return false; // It is gone: nobody reads any more.
  } finally {
    closeSync(fd);
  }
}

/**
 * Without a C library to make the pipe with (Windows): two pipes, whose order is that of arrival.
 * The shell's own redirection (`2>&1`) restores the exact order there.
 */
function startWithTwoPipes(spec: CommandSpec): RunningCommand {
  const exit = Promise.withResolvers<CommandExit>();
  let child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  try {
    child = spawnLeader(spec, ["ignore", "pipe", "pipe"], exit.resolve) as typeof child;
  } catch (error) {
    throw startFailure(spec, error);
  }
  loadWindowsJobs()?.adopt(child.pid);
  const streams = Promise.all([
    pump(child.stdout, spec.onOutput),
    pump(child.stderr, spec.onOutput),
  ]);
  const ended = exit.promise.then(async (how) => {
    await Promise.race([streams, Bun.sleep(survivorPipeMs)]);
    return how;
  });
  return { pid: child.pid, ended };
}

/** How long a survivor that holds the pipes may keep its leader's end from being reported. */
const survivorPipeMs = 100;

async function pump(stream: ReadableStream<Uint8Array>, sink: OutputReceiver): Promise<void> {
  for await (const chunk of stream) await sink(chunk);
}

/** The system says "no such file" for a missing folder too, and names the program: find out which it is. */
function startFailure(spec: CommandSpec, cause: unknown): AppError {
  const program = spec.argv[0] ?? "";
  const failed = "The command could not be started:";
  if (!existsSync(spec.cwd)) {
    const message = `${failed} the folder ${spec.cwd} does not exist. Create it, or pass another with --cwd.`;
    return new AppError("system", message, { cause });
  }
  const absence = absenceOfShell(program);
  if (absence !== undefined) {
    const message = `${failed} ${absence}. Set SHELL_PATH to an existing shell.`;
    return new AppError("system", message, { cause });
  }
  const message = `${failed} ${messageOf(cause)} (program ${program}, folder ${spec.cwd}).`;
  return new AppError("system", message, { cause });
}

/** Says that a shell does not exist: a clause, for messages that add what to do. Undefined for one that does, or that is looked for on PATH. */
export function absenceOfShell(path: string): string | undefined {
  return isAbsolute(path) && !existsSync(path) ? `the shell ${path} does not exist` : undefined;
}

interface CommandSpec {
  /** Program and arguments; the program is found on the PATH of `env`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Gets stdout and stderr as one stream of bytes, in the order in which they were written. */
  readonly onOutput: OutputReceiver;
  /** The program's input on descriptor 3, at most 4 KiB; absent = none. */
  readonly data?: Uint8Array | undefined;
}

/** How a process ended: one of the two is set. */
export interface CommandExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

type Stream = "ignore" | "pipe" | number;

/** The settings with which a program is started. */
export interface LeaderSpec extends Pick<CommandSpec, "argv" | "cwd" | "env"> {
  /** Arguments are passed on as they are, and the program's own name in quotes (Windows, batch files). */
  readonly isVerbatim?: boolean;
}

/** Starts a program that leads a process group (and session) of its own and has its owner mark twice. @throws as the system does */
export function spawnLeader(
  { argv, cwd, env, isVerbatim = false }: LeaderSpec,
  stdio: [Stream, Stream, Stream, ...number[]],
  onExit: (how: CommandExit) => void,
): Bun.Subprocess {
  const start = (): Bun.Subprocess =>
    Bun.spawn([...argv], {
      cwd,
      env: { ...env },
      stdio,
      detached: process.platform !== "win32",
      windowsHide: true,
      ...(isVerbatim && { windowsVerbatimArguments: true, argv0: `"${argv[0] ?? ""}"` }),
      onExit: (_child, exitCode, signal) => onExit({ exitCode, signal: signalName(signal) }),
    });
  const mark = env[ownerVariable];
  const marks = mark === undefined ? undefined : loadLimitMarks();
  return mark === undefined || marks === undefined ? start() : marks.startWith(mark, start);
}

function signalName(signal: unknown): string | null {
  return typeof signal === "string" ? signal : null;
}

/**
 * Starts a program that is handed to the user, such as their browser: it leads a session of its own, and it and the processes
 * that it starts live on when the server ends. Its output is not read.
 * @returns its exit code when it ends; null when it could not be started or was killed
 */
export async function startUserProgram(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  orphanage: Orphanage,
): Promise<number | null> {
  try {
    const child = Bun.spawn([...argv], {
      cwd: parse(process.execPath).root,
      env: { ...env, ...orphanage.handOverVariable() },
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
      windowsHide: true,
    });
    orphanage.addDirectChild(child.pid);
    child.unref();
    const exitCode = await child.exited;
    orphanage.removeDirectChild(child.pid);
    return child.signalCode === null ? exitCode : null;
  } catch {
    return null;
  }
}
