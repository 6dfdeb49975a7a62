/** A server process on two raw pipes. */
import { ptr } from "bun:ffi";
import { nowMs } from "./clock.ts";
import {
  cString,
  F_SETFL,
  libc,
  O_APPEND,
  O_CLOEXEC,
  O_CREAT,
  O_NONBLOCK,
  O_WRONLY,
  POSIX_SPAWN_SETSIGDEF,
  POSIX_SPAWN_SETSIGMASK,
  SIGKILL,
} from "./libc.ts";
import { processTree } from "./process-info.ts";

export interface Launch {
  readonly command: readonly string[];
  /** The whole environment of the server. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File that the server's standard error is appended to. */
  readonly stderrFile: string;
}

export interface ServerProcess {
  readonly pid: number;
  /** Non-blocking, the server's standard output. */
  readonly readFd: number;
  /** Non-blocking, the server's standard input. */
  readonly writeFd: number;
  readonly spawnedAtMs: number;
}

/** Starts a server. Throws when the program cannot be executed. */
export function spawnServer(launch: Launch): ServerProcess {
  const program = launch.command[0];
  if (program === undefined) throw new Error("a server needs a command");
  const [childStdin, writeFd] = createPipe();
  const [readFd, childStdout] = createPipe();
  libc.fcntl(writeFd, F_SETFL, O_NONBLOCK);
  libc.fcntl(readFd, F_SETFL, O_NONBLOCK);

  const argv = cStringArray(launch.command);
  const envp = cStringArray(Object.entries(launch.env).map(([key, value]) => `${key}=${value}`));
  const stderrFile = cString(launch.stderrFile);
  const cwd = cString(launch.cwd);
  const actions = Buffer.alloc(256);
  libc.posix_spawn_file_actions_init(ptr(actions));
  libc.posix_spawn_file_actions_adddup2(ptr(actions), childStdin, 0);
  libc.posix_spawn_file_actions_adddup2(ptr(actions), childStdout, 1);
  const append = O_WRONLY | O_CREAT | O_APPEND;
  libc.posix_spawn_file_actions_addopen(ptr(actions), 2, ptr(stderrFile), append, 0o644);
  libc.posix_spawn_file_actions_addchdir_np(ptr(actions), ptr(cwd));
  const attributes = defaultSignals();
  const pid = new Int32Array(1);
  const file = cString(program);

  const spawnedAtMs = nowMs();
  const failure = libc.posix_spawnp(
    ptr(pid),
    ptr(file),
    ptr(actions),
    ptr(attributes),
    ptr(argv.pointers),
    ptr(envp.pointers),
  );
  libc.posix_spawn_file_actions_destroy(ptr(actions));
  libc.close(childStdin);
  libc.close(childStdout);
  if (failure !== 0) {
    libc.close(readFd);
    libc.close(writeFd);
    throw new Error(`cannot start ${program}: error ${failure}`);
  }
  // The pointers above are bare numbers: these references keep the texts alive until here.
  void [argv.texts, envp.texts, stderrFile, cwd];
  return { pid: pid[0] ?? 0, readFd, writeFd, spawnedAtMs };
}

/** Kills a server and all that it started, reaps it, and returns the processor time it used in ms. */
export function killServer(server: ServerProcess): number {
  for (const pid of processTree(server.pid)) libc.kill(pid, SIGKILL);
  const status = new Int32Array(2);
  // struct rusage begins with user and system time, each as seconds and microseconds.
  const usage = new BigInt64Array(32);
  libc.wait4(server.pid, ptr(status), 0, ptr(usage));
  libc.close(server.readFd);
  libc.close(server.writeFd);
  const [userS = 0n, userUs = 0n, systemS = 0n, systemUs = 0n] = usage;
  return Number(userS + systemS) * 1e3 + Number(userUs + systemUs) / 1e3;
}

/** Read end, write end. */
function createPipe(): [number, number] {
  const fds = new Int32Array(2);
  if (libc.pipe2(ptr(fds), O_CLOEXEC) !== 0) throw new Error("cannot create a pipe");
  return [fds[0] ?? -1, fds[1] ?? -1];
}

function cStringArray(values: readonly string[]): { pointers: BigUint64Array; texts: Buffer[] } {
  const texts = values.map(cString);
  const pointers = new BigUint64Array([...texts.map((text) => BigInt(ptr(text))), 0n]);
  return { pointers, texts };
}

/** The bench's own signal handling must not reach the server. */
function defaultSignals(): Buffer {
  const attributes = Buffer.alloc(512);
  libc.posix_spawnattr_init(ptr(attributes));
  libc.posix_spawnattr_setsigdefault(ptr(attributes), ptr(Buffer.alloc(128, 0xff)));
  libc.posix_spawnattr_setsigmask(ptr(attributes), ptr(Buffer.alloc(128)));
  libc.posix_spawnattr_setflags(ptr(attributes), POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  return attributes;
}
