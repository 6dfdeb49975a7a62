import { upstreamLineHeadBytesMax, upstreamMessageBytesMax } from "../../base/limits.ts";

const newline = 0x0a;
/** First size of the buffer for a line whose end has not come. */
const carryBytesStart = 4 * 1024;

/** A line whose text fits, or the beginning of one that does not: told when the limit is passed, and the rest is dropped. */
export type ServerLine =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | { readonly kind: "too-long"; readonly head: Uint8Array };

/**
 * Cuts what a server writes into lines, in bounded memory, however it is divided. Of a line above the limit the head is given,
 * in which its id may be found (gateway contract CA13).
 */
export class LineReader {
  readonly #bytesMax: number;
  #carry = new Uint8Array(0);
  #length = 0;
  #isDropping = false;

  constructor(bytesMax: number = upstreamMessageBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** The lines that `chunk` completes. They may share its memory: they are to be read before the next. */
  push(chunk: Uint8Array): ServerLine[] {
    const lines: ServerLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#finish(chunk.subarray(start, end), lines);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start), lines);
    return lines;
  }

  /** What stands after the last newline of an output that has ended. */
  end(): ServerLine[] {
    return this.#length === 0 ? [] : [{ kind: "line", bytes: this.#takeCarry() }];
  }

  /** The last piece of a line. */
  #finish(bytes: Uint8Array, lines: ServerLine[]): void {
    const isWhole = this.#length === 0 && bytes.length <= this.#bytesMax;
    if (isWhole && !this.#isDropping) {
      lines.push({ kind: "line", bytes });
      return;
    }
    this.#keep(bytes, lines);
    if (!this.#isDropping) lines.push({ kind: "line", bytes: this.#takeCarry() });
    this.#isDropping = false;
  }

  #keep(bytes: Uint8Array, lines: ServerLine[]): void {
    if (this.#isDropping || bytes.length === 0) return;
    if (this.#length + bytes.length <= this.#bytesMax) return this.#append(bytes);
    // Enough of it for a head.
    this.#append(bytes.subarray(0, upstreamLineHeadBytesMax));
    this.#isDropping = true;
    lines.push({ kind: "too-long", head: this.#takeCarry().slice(0, upstreamLineHeadBytesMax) });
  }

  /** Grows by doubling, so that a line that comes byte by byte is copied a constant number of times. */
  #append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#carry.length) {
      const doubled = Math.min(this.#carry.length * 2, this.#bytesMax);
      const grown = new Uint8Array(Math.max(length, doubled, carryBytesStart));
      grown.set(this.#carry.subarray(0, this.#length));
      this.#carry = grown;
    }
    this.#carry.set(bytes, this.#length);
    this.#length = length;
  }

  /** Hands the buffer over; the next line gets its own. */
  #takeCarry(): Uint8Array {
    const bytes = this.#carry.subarray(0, this.#length);
    this.#carry = new Uint8Array(0);
    this.#length = 0;
    return bytes;
  }
}
