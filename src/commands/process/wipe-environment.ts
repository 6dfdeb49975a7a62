import { type Pointer, toArrayBuffer } from "bun:ffi";
import { readFileSync } from "node:fs";

import { ownValue } from "../../base/values.ts";

/**
 * Overwrites the values of `names` in the environment that the kernel has kept since this program was started, which every
 * process of the same user reads from `/proc/<pid>/environ` whatever becomes of the variables. Linux only.
 * @returns false where they could not be overwritten
 */
export function wipeEnvironment(names: readonly string[]): boolean {
  try {
    const block = initialEnvironment();
    for (const name of names) wipeValues(block, Buffer.from(`${name}=`));
    return true;
  } catch {
    return false;
  }
}

/** Fields of `/proc/self/stat` behind the name of the program (proc_pid_stat(5)): `env_start` and `env_end`. */
const startField = 47;
const endField = 48;

function initialEnvironment(): Uint8Array {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [start, end] = [Number(fields[startField]), Number(fields[endField])];
  if (!(start > 0 && end > start)) throw new Error("the kernel does not say where it is");
  return new Uint8Array(toArrayBuffer(ownValue<Pointer>(start), 0, end - start));
}

/** A name may come twice; the texts are divided by zeros. */
function wipeValues(block: Uint8Array, name: Uint8Array): void {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + name.length)) {
    if (at > 0 && bytes[at - 1] !== 0) continue;
    const end = bytes.indexOf(0, at);
    bytes.fill(0, at + name.length, end === -1 ? undefined : end);
  }
}
