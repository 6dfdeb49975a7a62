import { upstreamLineHeadBytesMax, upstreamMessageBytesMax } from "../../base/upstream-limits.ts";

const newline = 0x0a;
/** A line whose end has not come is kept in blocks, which grow with it; the first is its head. */
const blockBytesMin = upstreamLineHeadBytesMax;
const blockBytesMax = 256 * 1024;

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
  #blocks: Uint8Array[] = [];
  /** Bytes of the last block that are taken. */
  #lastLength = 0;
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
    this.#isDropping = true;
    const missing = upstreamLineHeadBytesMax - this.#length;
    if (missing > 0) this.#append(bytes.subarray(0, missing));
    const head = (this.#blocks[0] ?? bytes).slice(0, this.#length);
    this.#forget();
    lines.push({ kind: "too-long", head });
  }

  /** Copied once: growing one buffer would leave several times its size to be collected. */
  #append(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0) {
      const last = this.#lastWithRoom();
      const part = rest.subarray(0, last.length - this.#lastLength);
      last.set(part, this.#lastLength);
      this.#lastLength += part.length;
      this.#length += part.length;
      rest = rest.subarray(part.length);
    }
  }

  #lastWithRoom(): Uint8Array {
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#lastLength < last.length) return last;
    const size = Math.min(Math.max(this.#length, blockBytesMin), blockBytesMax);
    const block = new Uint8Array(size);
    this.#blocks.push(block);
    this.#lastLength = 0;
    return block;
  }

  #takeCarry(): Uint8Array {
    const [first = new Uint8Array(0)] = this.#blocks;
    const bytes =
      this.#blocks.length > 1
        ? Buffer.concat(this.#blocks, this.#length)
        : first.subarray(0, this.#length);
    this.#forget();
    return bytes;
  }

  #forget(): void {
    this.#blocks = [];
    this.#lastLength = 0;
    this.#length = 0;
  }
}
