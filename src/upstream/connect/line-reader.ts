import { upstreamLineHeadBytesMax, upstreamMessageBytesMax } from "../../base/limits.ts";

const newline = 0x0a;

/** A line whose text fits, or the beginning of one that does not and was dropped while it came. */
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
      this.#add(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  /** What stands after the last newline of an output that has ended. */
  end(): ServerLine[] {
    return this.#length === 0 ? [] : [this.#take()];
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const wasWithin = this.#length <= this.#bytesMax;
    this.#length += bytes.length;
    // A copy: the chunk may be large, and a pipe may use its memory again.
    if (this.#length <= this.#bytesMax) this.#pieces.push(bytes.slice());
    else if (wasWithin) this.#pieces = [this.#headWith(bytes)];
  }

  #take(): ServerLine {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    const isWithin = this.#length <= this.#bytesMax;
    this.#pieces = [];
    this.#length = 0;
    const text = bytes ?? new Uint8Array(0);
    return isWithin ? { kind: "line", bytes: text } : { kind: "too-long", head: text };
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
