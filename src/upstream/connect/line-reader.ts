import { upstreamLineHeadBytesMax, upstreamMessageBytesMax } from "../../base/limits.ts";

const newline = 0x0a;
const nothing = new Uint8Array(0);

/** A line whose text fits, or the beginning of one that does not: told when the limit is passed, and the rest is dropped. */
export type ServerLine =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | { readonly kind: "too-long"; readonly head: Uint8Array };

/**
 * Cuts what a server writes into lines, in bounded memory: of a line above the limit only its head is kept, in which
 * the id may be found (gateway contract CA13).
 */
export class LineReader {
  readonly #bytesMax: number;
  /** Pieces of a line whose end has not come. */
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(bytesMax: number = upstreamMessageBytesMax) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Uint8Array): ServerLine[] {
    const lines: ServerLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end), lines);
      this.#take(lines);
      start = end + 1;
    }
    this.#add(chunk.subarray(start), lines);
    return lines;
  }

  /** What stands after the last newline of an output that has ended. */
  end(): ServerLine[] {
    const lines: ServerLine[] = [];
    if (this.#length > 0) this.#take(lines);
    return lines;
  }

  #add(bytes: Uint8Array, lines: ServerLine[]): void {
    if (bytes.length === 0) return;
    const wasWithin = this.#length <= this.#bytesMax;
    this.#length += bytes.length;
    if (this.#length <= this.#bytesMax) {
      // A copy: the chunk may be large, and a pipe may use its memory again.
      this.#pieces.push(bytes.slice());
    } else if (wasWithin) {
      lines.push({ kind: "too-long", head: this.#headWith(bytes) });
      this.#pieces = [];
    }
  }

  #take(lines: ServerLine[]): void {
    const isWithin = this.#length <= this.#bytesMax;
    const [first, ...others] = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    if (!isWithin) return;
    const bytes = others.length === 0 ? first : Buffer.concat([first ?? nothing, ...others]);
    lines.push({ kind: "line", bytes: bytes ?? nothing });
  }

  #headWith(bytes: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    let left = upstreamLineHeadBytesMax;
    for (const piece of [...this.#pieces, bytes]) {
      if (left === 0) break;
      parts.push(piece.subarray(0, left));
      left -= Math.min(left, piece.length);
    }
    return Buffer.concat(parts);
  }
}
