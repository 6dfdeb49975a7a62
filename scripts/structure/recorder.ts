/**
 * Runs inside the measured program, in each of its threads and processes: a copy of this file lies at the root of the
 * instrumented sources, and the file `recording` beside it is memory that all of them share with who measures. One byte
 * switches recording on; a byte for each source file says what was seen in it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where things are in the shared bytes. */
export const layout = {
  isOn: 0,
  markerBytes: 1,
  marker: 2,
  markerBytesMax: 100,
  /** The first byte of each table, which has one for each file. */
  entered: 128,
  handed: 128 + 4096,
  chunk: 128 + 2 * 4096,
  handsOn: 128 + 3 * 4096,
  filesMax: 4096,
  size: 128 + 4 * 4096,
} as const;

export const recordingName = "recording";

/** So deep below a parameter the marker is looked for; and in so many members of each. */
const argumentsDepth = 3;
const chunkDepth = 1;
const membersMax = 50;

const shared = open();
const numbers = new Map<string, number>();

/** The first statement of every file. */
export function named(file: number, path: string): void {
  numbers.set(path, file);
}

/** Gives what it was given: stands around what a function returns. */
export function kept<Value>(value: Value): Value {
  return value;
}

/** The first statement of every function of the file with this number. */
export function enter(file: number, given: ArrayLike<unknown>): void {
  if (shared === undefined || shared[layout.isOn] === 0) return;
  shared[layout.entered + file] = 1;
  const length = shared[layout.markerBytes] ?? 0;
  if (length === 0) return;
  const marker = Buffer.from(shared.subarray(layout.marker, layout.marker + length)).toString();
  for (const value of Array.from(given)) {
    if (holds(value, marker, chunkDepth)) shared[layout.chunk + file] = 1;
    if (!holds(value, marker, argumentsDepth)) continue;
    shared[layout.handed + file] = 1;
    const caller = callerOf(new Error().stack ?? "");
    if (caller !== undefined && caller !== file) shared[layout.handsOn + caller] = 1;
  }
}

/**
 * The file of the function that called the one that has just called `enter`; by way of a method of the engine, such as `map`, too.
 * Undefined where the engine called it: a new turn, a message of another thread.
 */
function callerOf(stack: string): number | undefined {
  const files = stack.split("\n").flatMap((frame) => {
    const path = / \(?(\/.+?)(?::\d+){1,2}\)?$/.exec(frame)?.[1];
    const file = frame.includes(" at async ") || path === undefined ? undefined : numbers.get(path);
    return file === undefined ? [] : [file];
  });
  return files[1];
}

function holds(value: unknown, marker: string, depth: number): boolean {
  if (typeof value === "string") return value.includes(marker);
  if (typeof value !== "object" || value === null) return false;
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(marker);
  }
  if (depth === 0) return false;
  // No getter is to run: it might do something.
  return Object.values(Object.getOwnPropertyDescriptors(value))
    .slice(0, membersMax)
    .some((member) => holds(member.value, marker, depth - 1));
}

/** Undefined while nobody measures, as in a macro that runs before. */
function open(): Uint8Array | undefined {
  const file = join(import.meta.dir, recordingName);
  return existsSync(file) ? Bun.mmap(file) : undefined;
}
