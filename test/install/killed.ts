import { mock } from "bun:test";
import * as files from "node:fs";

/** Calls that change what is on the disk. */
const changing = [
  "ftruncateSync",
  "mkdirSync",
  "renameSync",
  "rmSync",
  "writeFileSync",
  "writeSync",
] as const;

const real = { ...files };
/** Nothing here outlives a power cut, and a disk under load takes a tenth of a second for each. */
const quick = { ...real, fsyncSync: () => undefined };
/** So few bytes at a time that a kill tears a file. */
const bytesAtOnce = 100;

/** Until the end of `work`, files are not forced to the disk. */
export async function withQuickFiles(work: () => Promise<void>): Promise<void> {
  await mock.module("node:fs", () => quick);
  try {
    await work();
  } finally {
    await mock.module("node:fs", () => real);
  }
}

/**
 * Runs `work`, which is killed before its step `at`: from there on it changes nothing on the disk, whatever it does. Its locks are
 * released, as the system does it. False when it ended before that. Inside `withQuickFiles`.
 */
export async function killedAt(at: number, work: () => Promise<unknown>): Promise<boolean> {
  let steps = 0;
  const counted = changing.map((name) => {
    const call = real[name] as (...args: readonly unknown[]) => unknown;
    const stopping = (...args: readonly unknown[]): unknown => {
      steps++;
      if (steps >= at) throw new Error("killed");
      if (name !== "writeSync") return call(...args);
      const [handle, bytes, from, length, to] = args;
      return call(handle, bytes, from, Math.min(Number(length), bytesAtOnce), to);
    };
    return [name, stopping] as const;
  });
  await mock.module("node:fs", () => ({ ...quick, ...Object.fromEntries(counted) }));
  try {
    await work().catch(() => undefined);
  } finally {
    await mock.module("node:fs", () => quick);
  }
  return steps >= at;
}
