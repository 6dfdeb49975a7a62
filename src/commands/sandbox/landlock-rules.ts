import type { Bounds } from "./bounds.ts";

/** The settings of the child that confines itself (`__sandbox`), as JSON. */
export interface LandlockRules {
  /** Folders and files that may be written. */
  readonly writable: readonly string[];
}

/** Rights to files that a ruleset governs, by their bit (landlock(7)). Reading and running are left alone. */
const rights = {
  writeFile: 1n << 1n,
  removeDir: 1n << 4n,
  removeFile: 1n << 5n,
  makeChar: 1n << 6n,
  makeDir: 1n << 7n,
  makeReg: 1n << 8n,
  makeSock: 1n << 9n,
  makeFifo: 1n << 10n,
  makeBlock: 1n << 11n,
  makeSym: 1n << 12n,
  refer: 1n << 13n,
  truncate: 1n << 14n,
  ioctlDev: 1n << 15n,
} as const;

/** Before version 3 (Linux 6.2) truncate(2) empties any file in spite of all rules. */
export const landlockVersionMin = 3;

/** `struct landlock_ruleset_attr`: rights to files, to the network, and scopes; older kernels know less of it. */
export function rulesetAttributes(version: number): BigUint64Array {
  const all = Object.values(rights).reduce((sum, right) => sum | right, 0n);
  const files = version >= 5 ? all : all & ~rights.ioctlDev;
  if (version < 4) return new BigUint64Array([files]);
  if (version < 6) return new BigUint64Array([files, 0n]);
  // Abstract sockets and signals reach only processes within the same bounds.
  return new BigUint64Array([files, 0n, 0b11n]);
}

/** The rights granted below a path: no devices are made anywhere. */
export function grantedRights(handled: bigint, isFolder: boolean): bigint {
  const ofFiles = rights.writeFile | rights.truncate | rights.ioctlDev;
  const granted = isFolder ? handled & ~(rights.makeChar | rights.makeBlock) : ofFiles;
  return handled & granted;
}

/** Devices that commands write to as a matter of course. */
const devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

export function landlockRules({ writable }: Bounds): LandlockRules {
  return { writable: [...writable, ...devices] };
}
