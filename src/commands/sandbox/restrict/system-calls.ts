import { ptr } from "bun:ffi";

import { openLinuxLibrary } from "../../../base/linux-library.ts";

/**
 * The calls with which a process gives up what it may do, and becomes another program. Used only in a
 * process that was started for that: nothing of it can be taken back.
 */
export interface RestrictingCalls {
  /** `syscall(2)`: the result, or -1. */
  systemCall(number: number, ...args: readonly Argument[]): number;
  prctl(option: number, ...args: readonly Argument[]): number;
  addressOf(bytes: NodeJS.TypedArray): bigint;
  /** Gives up every capability. False when it could not. */
  dropCapabilities(): boolean;
  /** As a new program expects them: nothing ignored, nothing blocked. */
  resetSignals(): void;
  /** Returns only when it failed. */
  execute(path: string, argv: readonly string[], environment: readonly string[]): void;
}

type Argument = number | bigint | NodeJS.TypedArray;

const word = "u64";
const symbols = {
  syscall: { args: ["i64", word, word, word, word, word], returns: "i64" },
  prctl: { args: ["i32", word, word, word, word], returns: "i32" },
  capset: { args: ["ptr", "ptr"], returns: "i32" },
  signal: { args: ["i32", word], returns: "ptr" },
  sigprocmask: { args: ["i32", "ptr", word], returns: "i32" },
  execve: { args: ["ptr", "ptr", "ptr"], returns: "i32" },
} as const;

const capabilityVersion = 0x20080522;
const signalsMax = 64;
const SIG_SETMASK = 2;

/** @throws when the C library is missing */
export function loadRestrictingCalls(): RestrictingCalls {
  const c = openLinuxLibrary(symbols);
  return {
    systemCall(number, ...args) {
      const [a = 0n, b = 0n, d = 0n, e = 0n, f = 0n] = args.map(asWord);
      return Number(c.syscall(number, a, b, d, e, f));
    },
    prctl(option, ...args) {
      const [a = 0n, b = 0n, d = 0n, e = 0n] = args.map(asWord);
      return c.prctl(option, a, b, d, e);
    },
    addressOf: (bytes) => BigInt(ptr(bytes)),
    dropCapabilities() {
      const header = new Uint32Array([capabilityVersion, 0]);
      return c.capset(ptr(header), ptr(new Uint32Array(6))) === 0;
    },
    resetSignals() {
      for (let number = 1; number <= signalsMax; number++) c.signal(number, 0n);
      c.sigprocmask(SIG_SETMASK, ptr(new Uint8Array(128)), 0n);
    },
    execute(path, argv, environment) {
      const file = Buffer.from(`${path}\0`);
      const lists = [textList(argv), textList(environment)] as const;
      c.execve(ptr(file), ptr(lists[0].pointers), ptr(lists[1].pointers));
    },
  };
}

function asWord(value: Argument): bigint {
  return typeof value === "object" ? BigInt(ptr(value)) : BigInt(value);
}

/** A `char *const []`. The texts are held along with it, so that they are not collected. */
function textList(texts: readonly string[]): { pointers: BigUint64Array; texts: Buffer[] } {
  const buffers = texts.map((text) => Buffer.from(`${text}\0`));
  const pointers = new BigUint64Array(buffers.length + 1);
  for (const [index, buffer] of buffers.entries()) pointers[index] = BigInt(ptr(buffer));
  return { pointers, texts: buffers };
}
