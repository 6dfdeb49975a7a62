import { outputHeadBytes, outputWindowBytes, resultBytesPerChar } from "../../base/limits.ts";

/** Bytes that are still held, with their place in the whole output. */
export interface OutputSegment {
  /** Absolute offset of the first byte. */
  readonly from: number;
  readonly bytes: Uint8Array;
}

export interface OutputStoreSizes {
  readonly headBytes: number;
  readonly windowBytes: number;
}

/** The ring starts this small and doubles, since most outputs are short. */
const ringBytesFirst = 16 * 1024;
const nothing = new Uint8Array(0);

/**
 * A bounded window on an output of any length: its first bytes, then a ring of the newest, addressed by
 * absolute offsets. Bytes between the two are dropped, and their number is recorded.
 */
export class OutputStore {
  readonly #headBytes: number;
  readonly #ringBytesMax: number;
  #head: Uint8Array = new Uint8Array(0);
  #ring: Uint8Array = new Uint8Array(0);
  #end = 0;

  constructor(
    sizes: OutputStoreSizes = { headBytes: outputHeadBytes, windowBytes: outputWindowBytes },
  ) {
    this.#headBytes = sizes.headBytes;
    this.#ringBytesMax = sizes.windowBytes - sizes.headBytes;
  }

  /** Bytes written so far, dropped ones included: the offset of the next byte. */
  get end(): number {
    return this.#end;
  }

  /** Bytes that are no longer held. */
  get droppedBytes(): number {
    return this.#ringFrom - Math.min(this.#end, this.#headBytes);
  }

  append(chunk: Uint8Array): void {
    const room = Math.max(0, this.#headBytes - this.#end);
    const headPart = chunk.subarray(0, room);
    if (headPart.length > 0) this.#appendHead(headPart);
    const ringPart = chunk.subarray(headPart.length);
    if (ringPart.length > 0) this.#appendRing(ringPart);
  }

  /** The stored bytes between the absolute offsets `from` and `to`, oldest first: at most two segments. */
  read(from: number, to = this.#end): OutputSegment[] {
    const segments: OutputSegment[] = [];
    const headEnd = Math.min(to, this.#headBytes);
    if (from < headEnd) segments.push({ from, bytes: this.#head.slice(from, headEnd) });
    const ringFrom = Math.max(from, this.#ringFrom);
    if (ringFrom < to) segments.push({ from: ringFrom, bytes: this.#readRing(ringFrom, to) });
    return segments;
  }

  /** Gives back memory that an ended output no longer grows into. */
  compact(): void {
    const headEnd = Math.min(this.#end, this.#headBytes);
    if (this.#head.length > headEnd) this.#head = this.#head.slice(0, headEnd);
    const held = this.#end - headEnd;
    // One that holds less than its size has not wrapped: its bytes are in order from its start.
    if (this.#ring.length > held) this.#ring = this.#ring.slice(0, held);
  }

  get #ringFrom(): number {
    return Math.max(Math.min(this.#end, this.#headBytes), this.#end - this.#ring.length);
  }

  #appendHead(bytes: Uint8Array): void {
    const needed = this.#end + bytes.length;
    if (needed > this.#head.length) {
      const grown = new Uint8Array(
        Math.min(this.#headBytes, Math.max(needed, this.#head.length * 2, 1024)),
      );
      grown.set(this.#head.subarray(0, this.#end));
      this.#head = grown;
    }
    this.#head.set(bytes, this.#end);
    this.#end = needed;
  }

  #appendRing(chunk: Uint8Array): void {
    this.#growRing(chunk.length);
    const size = this.#ring.length;
    if (size === 0) {
      this.#end += chunk.length;
      return;
    }
    // Only the newest bytes of a chunk that is longer than the ring will be held.
    const skipped = Math.max(0, chunk.length - size);
    const bytes = chunk.subarray(skipped);
    const place = (this.#end - this.#headBytes + skipped) % size;
    const first = bytes.subarray(0, size - place);
    this.#ring.set(first, place);
    this.#ring.set(bytes.subarray(first.length), 0);
    this.#end += chunk.length;
  }

  /** Doubles the ring while it still holds everything after the head, up to its bound. */
  #growRing(chunkBytes: number): void {
    const held = this.#end - this.#headBytes;
    const size = this.#ring.length;
    if (size === this.#ringBytesMax || held + chunkBytes <= size) return;
    let grown = Math.max(size, ringBytesFirst);
    while (grown < held + chunkBytes) grown *= 2;
    const ring = new Uint8Array(Math.min(grown, this.#ringBytesMax));
    // Until it has its full size nothing has wrapped: the bytes are in order.
    ring.set(this.#ring.subarray(0, held));
    this.#ring = ring;
  }

  #readRing(from: number, to: number): Uint8Array {
    const size = this.#ring.length;
    const length = to - from;
    const place = (from - this.#headBytes) % size;
    const bytes = new Uint8Array(length);
    const first = this.#ring.subarray(place, Math.min(size, place + length));
    bytes.set(first);
    bytes.set(this.#ring.subarray(0, length - first.length), first.length);
    return bytes;
  }
}

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
  const bytesMax = charsMax * resultBytesPerChar;
  if (store.droppedBytes === 0 && to <= bytesMax) {
    const text = decode(concat(store.read(0, to)));
    if (text.length <= charsMax) return { kind: "whole", text };
  }
  const endsOf = (endBytes: number): CutOutput => {
    // Bytes behind a gap do not belong to the beginning, nor bytes before it to the end.
    const first = joinAdjacent(store.read(0, Math.min(to, endBytes)))[0];
    const last = joinAdjacent(store.read(Math.max(0, to - endBytes), to)).at(-1);
    return twoEnds(first?.bytes ?? nothing, last?.bytes ?? nothing, to);
  };
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
export function newOutput(
  store: Pick<OutputStore, "read">,
  from: number,
  ended: boolean,
): NewOutput {
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
