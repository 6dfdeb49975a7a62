import { resultBytesPerChar } from "../../base/limits.ts";
import type { OutputSegment, OutputStore } from "./output-store.ts";

/** Output as text for a reader: all of it, or its two ends. */
export type OutputText = { readonly kind: "whole"; readonly text: string } | CutOutput;

export interface CutOutput {
  readonly kind: "cut";
  readonly head: string;
  readonly tail: string;
  /** Bytes of `head` as they were printed: where the first byte that is left out is. */
  readonly headBytes: number;
  /** Bytes between `head` and `tail`. */
  readonly omittedBytes: number;
  readonly totalBytes: number;
}

/**
 * The output up to the absolute offset `to` in at most `charsMax` characters. Invalid UTF-8 is replaced,
 * which makes three bytes of one: binary output is cut to half as much.
 */
export function outputText(store: OutputStore, charsMax: number, to = store.end): OutputText {
  const all = concat(store.read(0));
  const held = all.subarray(0, all.length - (store.end - to));
  const bytesMax = charsMax * resultBytesPerChar;
  if (store.droppedBytes === 0 && to <= bytesMax) {
    const text = decode(held);
    if (text.length <= charsMax) return { kind: "whole", text };
  }
  const endsOf = (endBytes: number): CutOutput =>
    twoEnds(held.subarray(0, endBytes), held.subarray(-endBytes), to);
  const cut = endsOf(Math.floor(charsMax / 2));
  const bytes = Buffer.byteLength(cut.head) + Buffer.byteLength(cut.tail);
  return bytes <= bytesMax ? cut : endsOf(Math.floor(charsMax / 4));
}

/** The first and the last bytes of an output of `totalBytes` as text, without partial lines. */
export function twoEnds(first: Uint8Array, last: Uint8Array, totalBytes: number): CutOutput {
  const head = first.subarray(0, lineEnd(first));
  const tail = last.subarray(lineStart(last));
  const headBytes = head.length;
  const omittedBytes = totalBytes - headBytes - tail.length;
  return {
    kind: "cut",
    head: decode(head),
    tail: decode(tail),
    headBytes,
    omittedBytes,
    totalBytes,
  };
}

/** The output after a cursor: whole lines, then the line that is not ended yet. */
export interface NewOutput {
  /** Whole lines; where bytes were lost in between, each stretch on its own. */
  readonly stretches: readonly string[];
  /** Bytes lost between the cursor and `linesTo`. */
  readonly lostBytes: number;
  /** Absolute offset after the last whole line. */
  readonly linesTo: number;
  /** The line that is not ended, without a character that is not complete. */
  readonly partial: string;
  /** Absolute offset after `partial`. */
  readonly partialTo: number;
}

/**
 * The stored output after the absolute offset `from`. Lines are never cut in half at a gap: a line that lost bytes is
 * lost as a whole.
 */
export function newOutput(store: OutputStore, from: number, ended: boolean): NewOutput {
  const stretches = joinAdjacent(store.read(from));
  const texts: string[] = [];
  let keptBytes = 0;
  let linesTo = from;
  let rest: Uint8Array = new Uint8Array(0);
  for (const [index, { from: at, bytes }] of stretches.entries()) {
    const isLast = index === stretches.length - 1;
    const start = index > 0 || at > from ? lineStart(bytes) : 0;
    const end = isLast ? (ended ? bytes.length : lineBreakEnd(bytes, start)) : lineEnd(bytes);
    keptBytes += end - start;
    if (end > start) texts.push(decode(bytes.subarray(start, end)));
    if (isLast) {
      rest = ended ? rest : bytes.subarray(end);
      linesTo = at + end;
    }
  }
  const partial = rest.subarray(0, completeCharacters(rest));
  return {
    stretches: texts,
    lostBytes: linesTo - from - keptBytes,
    linesTo,
    partial: decode(partial),
    partialTo: linesTo + partial.length,
  };
}

/** The head and the ring are adjacent until something is dropped between them. */
function joinAdjacent(segments: readonly OutputSegment[]): OutputSegment[] {
  const [first, second] = segments;
  if (first === undefined || second === undefined) return [...segments];
  if (first.from + first.bytes.length !== second.from) return [first, second];
  return [{ from: first.from, bytes: concat([first, second]) }];
}

function concat(segments: readonly OutputSegment[]): Uint8Array {
  const [first, second] = segments;
  if (second === undefined) return first?.bytes ?? new Uint8Array(0);
  return Buffer.concat(segments.map((segment) => segment.bytes));
}

const newline = 10;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Where the last whole line of `bytes` ends, or, in one long line, its last whole character. */
export function lineEnd(bytes: Uint8Array): number {
  const at = bytes.lastIndexOf(newline);
  return at >= bytes.length / 2 ? at + 1 : completeCharacters(bytes);
}

/** Where the first whole line of `bytes` starts, or, in one long line, its first whole character. */
function lineStart(bytes: Uint8Array): number {
  const at = bytes.indexOf(newline);
  if (at !== -1 && at < bytes.length / 2) return at + 1;
  let start = 0;
  while (start < 4 && isContinuation(bytes[start])) start++;
  return start;
}

function lineBreakEnd(bytes: Uint8Array, start: number): number {
  return Math.max(start, bytes.lastIndexOf(newline) + 1);
}

/** Length of `bytes` without a character at its end that lacks bytes. */
function completeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Whether it is a byte of a UTF-8 character behind its first. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
