import { dlopen, ptr } from "bun:ffi";

import { openLinuxLibrary } from "../../base/linux-library.ts";

/**
 * The few calls of the C library that Bun has no API for. Loaded with the first command, never on the
 * start-up path (0.2–0.3 ms). Variadic functions (`fcntl`, `ioctl`) are avoided: their arguments go
 * elsewhere on Apple silicon.
 */
export interface Libc {
  /** A pipe whose ends are not inherited by children, as `[read end, write end]`. */
  createPipe(): [number, number];
  /** True when a read of `fd` would return immediately: data, or the end. */
  isReadable(fd: number): boolean;
  /** `poll(2)` without waiting, of a row of `struct pollfd` (two words each). False when it failed. */
  pollNow(polled: Int32Array): boolean;
  /** `kill(2)`; a negative `pid` is a process group. False when the process does not exist. */
  kill(pid: number, signal: number): boolean;
  /** `flock(2)` without waiting, together with others or alone. False when somebody holds it otherwise. */
  lockFile(fd: number, isAlone: boolean): boolean;
  /** Orphans among our descendants become our children (Linux only). */
  becomeSubreaper(): boolean;
  /** Collects the zombie `pid`, if it is one and our child. */
  reap(pid: number): boolean;
  /** The local port of a connected TCP socket; undefined for any other descriptor. */
  connectedPort(fd: number): number | undefined;
  /** Ends the connection of a socket; its owner sees it as closed by the peer. */
  shutDown(fd: number): void;
  /** How many descriptors this process may have. */
  descriptorsMax(): number;
  /** This process's soft and hard limit of a resource; undefined when it is unknown. */
  limitsOf(resource: LimitedResource): Limits | undefined;
  /** Another process's limits of a resource (Linux only); undefined when they are unknown. */
  limitOf(pid: number, resource: LimitedResource): Limits | undefined;
  /** Sets the limits of `pid`, 0 for this process (Linux only). False when that was refused. */
  limit(pid: number, resource: LimitedResource, limits: Limits): boolean;
  /** Children write no core files unless they ask for them. */
  disableCoreFiles(): void;
}

type LimitedResource = "descriptors" | "processes" | "locks";

/** The system's word for "as many as you like" is a number above all others. */
export interface Limits {
  readonly soft: bigint;
  readonly hard: bigint;
}

const O_CLOEXEC = 0x80000;
const POLLIN = 1;
const WNOHANG = 1;
const PR_SET_CHILD_SUBREAPER = 36;
const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = process.platform === "darwin" ? 8 : 7;
const RLIMIT_NPROC = process.platform === "darwin" ? 7 : 6;
/** Linux only. */
const RLIMIT_LOCKS = 10;
const limitNumbers: Readonly<Record<LimitedResource, number>> = {
  descriptors: RLIMIT_NOFILE,
  processes: RLIMIT_NPROC,
  locks: RLIMIT_LOCKS,
};
const SHUT_RDWR = 2;
const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const AF_INET = 2;
const AF_INET6 = process.platform === "darwin" ? 30 : 10;

const portable = {
  // The count is an `unsigned long`; as a 32-bit number it spares a BigInt for each call.
  poll: { args: ["ptr", "u32", "i32"], returns: "i32" },
  kill: { args: ["i32", "i32"], returns: "i32" },
  flock: { args: ["i32", "i32"], returns: "i32" },
  waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
  getrlimit: { args: ["i32", "ptr"], returns: "i32" },
  setrlimit: { args: ["i32", "ptr"], returns: "i32" },
  getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  shutdown: { args: ["i32", "i32"], returns: "i32" },
} as const;
const linuxOnly = {
  pipe2: { args: ["ptr", "i32"], returns: "i32" },
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
  prlimit: { args: ["i32", "i32", "ptr", "ptr"], returns: "i32" },
} as const;
const darwinOnly = { pipe: { args: ["ptr"], returns: "i32" } } as const;

let loaded: Libc | undefined | null = null;

/** The C library, or undefined where it cannot be reached (Windows, or no `bun:ffi`). */
export function loadLibc(): Libc | undefined {
  if (loaded === null) loaded = open();
  return loaded;
}

function open(): Libc | undefined {
  try {
    if (process.platform === "linux") return openLinux();
    if (process.platform === "darwin") return openDarwin();
  } catch {
    // No usable C library: commands run all the same, with less ordered output and no subreaper.
  }
  return undefined;
}

function openLinux(): Libc {
  const c = openLinuxLibrary({ ...portable, ...linuxOnly });
  const read = new BigUint64Array(2);
  return {
    ...common(c),
    createPipe: () => pipePair((fds) => c.pipe2(ptr(fds), O_CLOEXEC)),
    becomeSubreaper: () => c.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) === 0,
    limitOf: (pid, resource) =>
      c.prlimit(pid, limitNumbers[resource], null, ptr(read)) === 0
        ? { soft: read[0]!, hard: read[1]! }
        : undefined,
    limit: (pid, resource, { soft, hard }) =>
      c.prlimit(pid, limitNumbers[resource], ptr(new BigUint64Array([soft, hard])), null) === 0,
  };
}

function openDarwin(): Libc {
  const c = dlopen("libSystem.B.dylib", { ...portable, ...darwinOnly }).symbols;
  return {
    ...common(c),
    // Not close-on-exec, and need not be: Bun spawns with POSIX_SPAWN_CLOEXEC_DEFAULT there.
    createPipe: () => pipePair((fds) => c.pipe(ptr(fds))),
    becomeSubreaper: () => false,
    limitOf: () => undefined,
    limit: () => false,
  };
}

type LinuxOnly = "createPipe" | "becomeSubreaper" | "limitOf" | "limit";
type PortableSymbols = ReturnType<typeof dlopen<typeof portable>>["symbols"];

function common(c: PortableSymbols): Omit<Libc, LinuxOnly> {
  const pollFd = new Int32Array(2);
  const status = new Int32Array(1);
  return {
    isReadable(fd) {
      pollFd[0] = fd;
      pollFd[1] = POLLIN;
      return c.poll(ptr(pollFd), 1, 0) > 0;
    },
    pollNow: (polled) => c.poll(ptr(polled), polled.length / 2, 0) >= 0,
    kill: (pid, signal) => c.kill(pid, signal) === 0,
    lockFile: (fd, isAlone) => c.flock(fd, (isAlone ? LOCK_EX : LOCK_SH) | LOCK_NB) === 0,
    reap: (pid) => c.waitpid(pid, ptr(status), WNOHANG) === pid,
    connectedPort: (fd) => connectedPort(c, fd),
    shutDown: (fd) => void c.shutdown(fd, SHUT_RDWR),
    descriptorsMax: () => Number(limitsOf(c, RLIMIT_NOFILE)?.soft ?? Number.POSITIVE_INFINITY),
    limitsOf: (resource) => limitsOf(c, limitNumbers[resource]),
    disableCoreFiles() {
      const limits = limitsOf(c, RLIMIT_CORE);
      if (limits !== undefined)
        c.setrlimit(RLIMIT_CORE, ptr(new BigUint64Array([0n, limits.hard])));
    },
  };
}

function limitsOf(c: PortableSymbols, resource: number): Limits | undefined {
  const limit = new BigUint64Array(2);
  if (c.getrlimit(resource, ptr(limit)) !== 0) return undefined;
  return { soft: limit[0]!, hard: limit[1]! };
}

/** A `struct sockaddr` of any family, and its length; used by one call at a time. */
const address = new Uint8Array(128);
const length = new Uint32Array(1);

/** A listening socket has an address too, but no peer. */
function connectedPort(c: PortableSymbols, fd: number): number | undefined {
  length[0] = address.length;
  if (c.getpeername(fd, ptr(address), ptr(length)) !== 0) return undefined;
  length[0] = address.length;
  if (c.getsockname(fd, ptr(address), ptr(length)) !== 0) return undefined;
  // Linux: two bytes of family in host order; macOS: a byte of length, then one of family.
  const family = process.platform === "darwin" ? address[1] : address[0];
  if (family !== AF_INET && family !== AF_INET6) return undefined;
  return ((address[2] ?? 0) << 8) | (address[3] ?? 0);
}

function pipePair(create: (fds: Int32Array) => number): [number, number] {
  const fds = new Int32Array(2);
  if (create(fds) !== 0) throw new Error("no more file descriptors");
  return [fds[0]!, fds[1]!];
}
