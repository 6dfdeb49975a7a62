import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

import { commandDescriptorsMax, processesReserve } from "../../base/limits.ts";
import { type Libc, type Limits, loadLibc } from "./libc.ts";

/** The limits of all commands of this process: they have the same user and the same limits to begin with. */
let processes: Limits | undefined | null = null;

/** A program of util-linux that sets limits and becomes the command. */
const prlimit = "/usr/bin/prlimit";

/**
 * Reserves room for the server beside its commands (Linux): a user who is not root has one number of processes and
 * threads, and a process that is refused a thread is aborted. Called as soon as `pid` runs. A command may raise its
 * number of descriptors again, as some have to, and not that of processes.
 */
export function limitCommand(libc: Libc, pid: number): void {
  if (process.platform !== "linux") return;
  const descriptors = fewerDescriptors(libc);
  if (descriptors !== undefined) libc.limit(pid, "descriptors", descriptors);
  const limits = processLimits(libc);
  if (limits !== undefined) libc.limit(pid, "processes", limits);
}

/**
 * The command behind a program that limits its processes before it is there: where processors are busy a shell starts
 * many before `limitCommand` comes. For shells and the programs that confine them: if the system refused to start a
 * program behind it,
 * the reason would be lost. The command itself on systems without that program, and where nothing is limited.
 * @param mark its owner mark, which it has as a limit too before it is there
 */
export function withProcessLimit(argv: readonly string[], mark: string): readonly string[] {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  const limits = libc === undefined ? undefined : processLimits(libc);
  const program = argv[0] ?? "";
  // A missing program must fail under its own name.
  if (limits === undefined || !isAbsolute(program) || !existsSync(program)) return argv;
  if (!existsSync(prlimit)) return argv;
  const number = loadLimitMarks()?.of(mark);
  const locks = number === undefined ? [] : [`--locks=${number}:${number}`];
  return [prlimit, `--nproc=${limits.soft}:${limits.hard}`, ...locks, "--", ...argv];
}

/** Whether commands may have fewer processes than this program: then none may begin before it has its limit. */
export function hasProcessLimit(): boolean {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  return libc !== undefined && processLimits(libc) !== undefined;
}

function processLimits(libc: Libc): Limits | undefined {
  if (processes === null) processes = fewerProcesses(libc);
  return processes;
}

/** Limits the descriptors of this process, which becomes the command: Bun raises the limit of descriptors of each program it starts as. */
export function limitOwnDescriptors(): void {
  const libc = loadLibc();
  if (libc === undefined) return;
  const descriptors = fewerDescriptors(libc);
  if (descriptors !== undefined) libc.limit(0, "descriptors", descriptors);
}

function fewerDescriptors(libc: Libc): Limits | undefined {
  const limits = libc.limitsOf("descriptors");
  if (limits === undefined || limits.soft <= commandDescriptorsMax) return undefined;
  return { ...limits, soft: BigInt(commandDescriptorsMax) };
}

/** The limit of processes for commands; half of the user's own when that is small. Undefined for root, which the limit does not bind. */
function fewerProcesses(libc: Libc): Limits | undefined {
  const limits = libc.limitsOf("processes");
  if (limits === undefined || process.geteuid?.() === 0) return undefined;
  const half = limits.soft / 2n;
  const reserve = half < processesReserve ? half : BigInt(processesReserve);
  const left = limits.soft - reserve;
  return { soft: left, hard: left };
}

/**
 * Each command has its owner mark a second time, as its limit of file locks: a number that Linux hands on from process
 * to process and has not looked at since 2.4.25. It stays with a process that wipes its environment, leaves the session
 * and loses its parent, and is read quicker than a file of `/proc`.
 */
export class LimitMarks {
  readonly #libc: Libc;
  readonly #ceiling: bigint;
  readonly #prefixes = new Map<string, bigint | undefined>();
  /** The mark that was asked for last: it is asked for many times in a row. */
  #numbered: { readonly mark: string; readonly number: bigint | undefined } = emptyMark;

  constructor(libc: Libc) {
    this.#libc = libc;
    const own = libc.limitsOf("locks")?.hard ?? 0n;
    this.#ceiling = own < ceilingMax ? own : ceilingMax;
  }

  /** The number that represents an owner mark; undefined for an invalid mark. */
  of(mark: string): bigint | undefined {
    const dot = mark.lastIndexOf(".");
    const command = mark.slice(dot + 1);
    if (dot < 1 || !/^\d+$/.test(command)) return undefined;
    const prefix = this.prefixOf(mark.slice(0, dot));
    return prefix === undefined ? undefined : prefix * commands + (BigInt(command) % commands);
  }

  /** The digits that the numbers of a server begin with, before the last eight. */
  prefixOf(instanceId: string): bigint | undefined {
    if (!this.#prefixes.has(instanceId)) {
      this.#prefixes.set(instanceId, prefixBelow(this.#ceiling, instanceId));
    }
    return this.#prefixes.get(instanceId);
  }

  /**
   * Starts a process with the number of `mark`, which it has from us, from its first moment: on a busy machine it may have
   * started others, and lost them, before we come to look at it.
   */
  startWith<Child extends { readonly pid: number }>(mark: string, start: () => Child): Child {
    const number = this.of(mark);
    const own = number === undefined ? undefined : this.#libc.limitsOf("locks");
    if (number === undefined || own === undefined) return start();
    this.#libc.limit(0, "locks", { soft: number, hard: own.hard });
    try {
      const child = start();
      // So that it cannot take it off by raising it.
      this.#libc.limit(child.pid, "locks", { soft: number, hard: number });
      return child;
    } finally {
      this.#libc.limit(0, "locks", own);
    }
  }

  /** Whether the command with `mark` started `pid`; undefined when its number is of no command of that server. */
  isOf(pid: number, mark: string): boolean | undefined {
    const expected = this.#numbered.mark === mark ? this.#numbered.number : this.of(mark);
    this.#numbered = { mark, number: expected };
    if (expected === undefined) return undefined;
    const numbers = this.#numbersOf(pid);
    if (numbers.includes(expected)) return true;
    return numbers.some((one) => one / commands === expected / commands) ? false : undefined;
  }

  /** Whether a command of the server whose numbers begin with `prefix` started `pid`. */
  isOfServer(pid: number, prefix: bigint): boolean {
    return this.#numbersOf(pid).some((one) => one / commands === prefix);
  }

  #numbersOf(pid: number): readonly bigint[] {
    const limits = this.#libc.limitOf(pid, "locks");
    return limits === undefined ? [] : [limits.hard, limits.soft];
  }
}

const emptyMark = { mark: "", number: undefined };
/** Numbers that the commands of one server have, one after the other. */
const commands = 100_000_000n;
/** A server that runs below another's command has its limit and may only choose lower: it takes the upper half of the rest. */
const ceilingMax = 2n ** 63n;
/** Below this two servers may happen to have the same. */
const prefixMin = 2n ** 20n;

function prefixBelow(ceiling: bigint, instanceId: string): bigint | undefined {
  const half = ceiling / commands / 2n;
  // The uppermost would begin like the ceiling, and some of its numbers would be above it.
  return half < prefixMin ? undefined : half + (Bun.hash(instanceId) % (half - 1n));
}

let loaded: LimitMarks | undefined | null = null;

/** Undefined where limits do not exist: on other systems, and without the C library. */
export function loadLimitMarks(): LimitMarks | undefined {
  if (loaded !== null) return loaded;
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  return (loaded = libc === undefined ? undefined : new LimitMarks(libc));
}
