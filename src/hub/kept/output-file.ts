import { closeSync, fstatSync, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openLinuxLibrary } from "../../base/linux-library.ts";
import { outputWindowBytes } from "../../base/limits.ts";
import {
  lineEnd,
  newOutput,
  type NewOutput,
  type OutputSegment,
} from "../../commands/background/output-store.ts";
import { taskFiles } from "./kept-place.ts";
import { readDropped } from "./task-record.ts";

/** Output after a cursor, a page at most. */
export interface OutputPage extends NewOutput {
  /** Absolute offset of the end of the page. */
  readonly pageTo: number;
  /** Absolute offset of the end of all output so far. */
  readonly end: number;
}

/** A multiple of the blocks of all file systems. */
const blockBytes = 64 * 1024;
const FALLOC_FL_KEEP_SIZE = 1;
const FALLOC_FL_PUNCH_HOLE = 2;

/** The output of one kept task: a file from whose front bytes are dropped, while offsets remain. */
export class OutputFile {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, taskFiles.output);
  }

  /** Bytes printed so far; 0 when there is no file. */
  get end(): number {
    return this.#with((fd) => fstatSync(fd).size) ?? 0;
  }

  /** Bytes that are held. */
  get heldBytes(): number {
    return Math.max(0, this.end - readDropped(this.#folder));
  }

  /** @param hasEnded nothing is printed any more: the last line is whole */
  read(from: number, hasEnded: boolean, bytesMax = outputWindowBytes): OutputPage {
    const read = this.#with((fd) => this.#read(fd, from, hasEnded, bytesMax));
    return read ?? { ...nothingAfter(from), pageTo: from, end: from };
  }

  /** The bytes that are held from `from` on. */
  segments(from: number): OutputSegment[] {
    return this.#with((fd) => this.#bytes(fd, from, Number.POSITIVE_INFINITY).segments) ?? [];
  }

  /**
   * Drops the oldest bytes until at most `bytesMax` are held.
   * @returns false when the file system cannot do that
   */
  dropTo(bytesMax: number): boolean {
    const to = Math.floor((this.end - bytesMax) / blockBytes) * blockBytes;
    if (to <= readDropped(this.#folder)) return true;
    // First, so that a reader never takes dropped bytes for output.
    const before = readDropped(this.#folder);
    writeFileSync(join(this.#folder, taskFiles.dropped), String(to), { mode: 0o600 });
    const isDone = this.#with((fd) => punchHole(fd, to), "r+") === true;
    if (!isDone) writeFileSync(join(this.#folder, taskFiles.dropped), String(before));
    return isDone;
  }

  #read(fd: number, from: number, hasEnded: boolean, bytesMax: number): OutputPage {
    const { segments, end } = this.#bytes(fd, from, bytesMax);
    return pageOf(segments, { from: Math.min(from, end), end, hasEnded });
  }

  #bytes(fd: number, from: number, bytesMax: number): { segments: OutputSegment[]; end: number } {
    for (;;) {
      const end = fstatSync(fd).size;
      const dropped = Math.min(readDropped(this.#folder), end);
      const start = Math.max(Math.min(from, end), dropped);
      const bytes = new Uint8Array(Math.min(bytesMax, end - start));
      const length = readSync(fd, bytes, 0, bytes.length, start);
      // Bytes that were dropped meanwhile are zeros.
      if (readDropped(this.#folder) > start) continue;
      const held = { from: start, bytes: bytes.subarray(0, length) };
      return { segments: length === 0 ? [] : [held], end };
    }
  }

  #with<Value>(act: (fd: number) => Value, flags = "r"): Value | undefined {
    let fd: number;
    try {
      fd = openSync(this.#path, flags);
    } catch {
      return undefined;
    }
    try {
      return act(fd);
    } finally {
      closeSync(fd);
    }
  }
}

interface PagePlace {
  /** The wanted offset. */
  readonly from: number;
  readonly end: number;
  readonly hasEnded: boolean;
}

function pageOf(
  segments: readonly OutputSegment[],
  { from, end, hasEnded }: PagePlace,
): OutputPage {
  const [all] = segments;
  if (all === undefined) return { ...nothingAfter(from), pageTo: from, end };
  const isWhole = all.from + all.bytes.length >= end;
  // A page that is full ends with a line, or within one that is longer than half of it.
  const bytes = isWhole ? all.bytes : all.bytes.subarray(0, lineEnd(all.bytes));
  const output = newOutput({ read: () => [{ ...all, bytes }] }, from, hasEnded || !isWhole);
  return { ...output, pageTo: all.from + bytes.length, end };
}

function nothingAfter(from: number): NewOutput {
  return { stretches: [], lostBytes: 0, linesTo: from, partial: "", partialTo: from };
}

const symbols = {
  fallocate: { args: ["i32", "i32", "i64", "i64"], returns: "i32" },
} as const;
type Calls = ReturnType<typeof openLinuxLibrary<typeof symbols>>;
let calls: Calls | undefined;

/** Gives the first `bytes` of a file back to the file system. */
function punchHole(fd: number, bytes: number): boolean {
  if (process.platform !== "linux") return false;
  calls ??= openLinuxLibrary(symbols);
  return calls.fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0n, BigInt(bytes)) === 0;
}
