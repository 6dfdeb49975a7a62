import { type Libc, loadLibc } from "./libc.ts";

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
