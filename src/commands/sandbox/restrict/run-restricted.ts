import { ptr } from "bun:ffi";
import { closeSync, constants, fstatSync, openSync } from "node:fs";

import { messageOf } from "../../../base/errors.ts";
import { openLinuxLibrary } from "../../../base/linux-library.ts";
import { type Environment, parseOwnJson } from "../../../base/values.ts";
import {
  grantedRights,
  type LandlockRules,
  landlockVersionMin,
  rulesetAttributes,
} from "../backend-arguments.ts";
import { seccompFilter } from "../seccomp-filter.ts";

/** System calls of Landlock and close_range(2): the same numbers on x86_64 and aarch64. */
const createRuleset = 444;
const addRule = 445;
const restrictSelf = 446;
const closeRange = 436;

const askVersion = 1;
const rulePathBeneath = 1;
const closeOnExec = 4;
const highestFd = 0xffff_ffff;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_SET_SECCOMP = 22;
const SECCOMP_MODE_FILTER = 2;
/** Names a file without opening it. */
const O_PATH = 0o10000000;

/** As shells say that something could not be started. */
const cannotStart = 126;

/**
 * Confines this process for good and makes it the program `argv`: returns only when that failed, with
 * an exit code, before anything of the command ran.
 * @param rulesText JSON of `LandlockRules`
 */
export function runRestricted(
  rulesText: string | undefined,
  argv: readonly string[],
  env: Environment,
  report: (message: string) => void,
): number {
  try {
    const rules = parseOwnJson<LandlockRules>(rulesText ?? "");
    const calls = loadRestrictingCalls();
    restrict(calls, rules);
    const environment = Object.entries(env).map(([name, value]) => `${name}=${value ?? ""}`);
    calls.execute(argv[0] ?? "", argv, environment);
    report(`sandbox: ${argv[0]} could not be started.`);
  } catch (error) {
    report(`sandbox: ${messageOf(error)}. Nothing was run.`);
  }
  return cannotStart;
}

function restrict(calls: RestrictingCalls, rules: LandlockRules): void {
  assertDone(calls.prctl(PR_SET_NO_NEW_PRIVS, 1), "no_new_privs was refused");
  restrictFiles(calls, rules);
  // After the calls that need them: a ruleset does not bind root's right to load a module.
  assertDone(calls.dropCapabilities() ? 0 : -1, "capabilities could not be dropped");
  // Before the filter, which would not let the C library do everything.
  assertDone(
    calls.systemCall(closeRange, 3, highestFd, closeOnExec),
    "descriptors cannot be closed",
  );
  calls.resetSignals();
  restrictCalls(calls);
}

function restrictFiles(calls: RestrictingCalls, rules: LandlockRules): void {
  const version = calls.systemCall(createRuleset, 0, 0, askVersion);
  if (version < landlockVersionMin) {
    throw new Error(
      version < 0
        ? "Landlock is missing or disabled"
        : `Landlock has version ${version}; version ${landlockVersionMin} is required (Linux 6.2)`,
    );
  }
  const attributes = rulesetAttributes(version);
  const ruleset = calls.systemCall(createRuleset, attributes, attributes.byteLength, 0);
  assertDone(ruleset, "the Landlock ruleset could not be created");
  for (const path of rules.writable) allowWriting(calls, ruleset, attributes[0] ?? 0n, path);
  assertDone(calls.systemCall(restrictSelf, ruleset, 0), "Landlock was refused");
}

function allowWriting(
  calls: RestrictingCalls,
  ruleset: number,
  handled: bigint,
  path: string,
): void {
  const fd = openIfThere(path);
  if (fd === undefined) return;
  // `struct landlock_path_beneath_attr` is packed: eight bytes of rights, four of the descriptor.
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, grantedRights(handled, fstatSync(fd).isDirectory()), true);
  rule.setInt32(8, fd, true);
  const bytes = new Uint8Array(rule.buffer);
  assertDone(calls.systemCall(addRule, ruleset, rulePathBeneath, bytes, 0), `no rule for ${path}`);
  closeSync(fd);
}

/** A missing path cannot be written to; a link in its place is an attack. */
function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, O_PATH | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

function restrictCalls(calls: RestrictingCalls): void {
  const filter = seccompFilter("shared");
  // `struct sock_fprog`: a number, then a pointer at the next multiple of eight.
  const program = new BigUint64Array([BigInt(filter.length / 8), calls.addressOf(filter)]);
  assertDone(
    calls.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program),
    "the system-call filter was refused",
  );
}

function assertDone(result: number, otherwise: string): void {
  if (result < 0) throw new Error(otherwise);
}

/**
 * The calls with which a process gives up its rights and becomes another program. Used only in a
 * process that was started for that: none of them can be undone.
 */
interface RestrictingCalls {
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
