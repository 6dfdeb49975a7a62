/** On which processors this thread, and what it starts from now on, may run. */
import { ptr } from "bun:ffi";

import { libc } from "./libc.ts";

/** Of 1,024 processors, a bit each. */
const maskBytes = 128;
const thisThread = 0;

/** Keeps this thread on one processor. Returns where it was allowed before. Throws when that is not possible. */
export function restrictTo(processor: number): Buffer {
  const before = Buffer.alloc(maskBytes);
  // Returns how many bytes the kernel has written.
  if (libc.sched_getaffinity(thisThread, maskBytes, ptr(before)) < 0) {
    throw new Error("cannot read on which processors this thread may run");
  }
  const one = Buffer.alloc(maskBytes);
  one[processor >> 3] = 1 << (processor & 7);
  setMask(one);
  return before;
}

/** Takes a restriction back. */
export function allowAgain(before: Buffer): void {
  setMask(before);
}

function setMask(mask: Buffer): void {
  if (libc.sched_setaffinity(thisThread, maskBytes, ptr(mask)) === 0) return;
  throw new Error("cannot choose on which processors this thread runs");
}
