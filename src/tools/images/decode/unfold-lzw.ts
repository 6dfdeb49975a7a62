const clearCode = 256;
const endCode = 257;
const firstFree = 258;
const codesMax = 4_096;
const widthMin = 9;
const widthMax = 12;

/**
 * Unfolds LZW as TIFF 6.0 (section 13) has it. Ends with the input, with an invalid code, or when `bytesMax` bytes are
 * there. The library's own follows damaged tables in circles.
 */
export function unfoldLzw(input: Uint8Array, bytesMax: number): Uint8Array {
  const unfolding = new Unfolding(bytesMax);
  let held = 0;
  let heldBits = 0;
  for (const byte of input) {
    held = ((held << 8) | byte) & 0xff_ffff;
    heldBits += 8;
    if (heldBits < unfolding.width) continue;
    heldBits -= unfolding.width;
    const code = (held >>> heldBits) & ((1 << unfolding.width) - 1);
    if (code === endCode || unfolding.isFull) break;
    if (code === clearCode) unfolding.clear();
    else if (!unfolding.take(code)) break;
  }
  return unfolding.bytes;
}

/** The output so far, and the table of codes that grows with it. */
class Unfolding {
  /** Bits of the next code. */
  width = widthMin;
  readonly #out: Uint8Array;
  #filled = 0;
  /** The place in `out` and the length of each code. */
  readonly #starts = new Uint32Array(codesMax);
  readonly #lengths = new Uint32Array(codesMax);
  #free = firstFree;
  /** Start of the output of the code before; nothing after the table was cleared. */
  #previousStart = 0;
  #previousLength = 0;

  constructor(bytesMax: number) {
    this.#out = new Uint8Array(bytesMax);
  }

  get isFull(): boolean {
    return this.#filled >= this.#out.length;
  }

  get bytes(): Uint8Array {
    return this.#out.subarray(0, this.#filled);
  }

  clear(): void {
    this.width = widthMin;
    this.#free = firstFree;
    this.#previousLength = 0;
  }

  /** Writes the meaning of `code`, and gives the next code its meaning; false if it is not a code. */
  take(code: number): boolean {
    const start = this.#filled;
    if (code < clearCode) this.#out[this.#filled++] = code;
    else if (code < this.#free) this.#repeat(this.#starts[code] ?? 0, this.#lengths[code] ?? 0);
    // The code that is made just now is the one before, and its first byte again.
    else if (code === this.#free && this.#previousLength > 0) {
      this.#repeat(this.#previousStart, this.#previousLength + 1);
    } else return false;
    this.#learn();
    this.#previousStart = start;
    this.#previousLength = this.#filled - start;
    return true;
  }

  #repeat(from: number, length: number): void {
    const end = Math.min(this.#filled + length, this.#out.length);
    for (let at = from; this.#filled < end; at++) this.#out[this.#filled++] = this.#out[at] ?? 0;
  }

  /** The next free code is the one before with one byte more. */
  #learn(): void {
    if (this.#previousLength === 0 || this.#free >= codesMax) return;
    this.#starts[this.#free] = this.#previousStart;
    this.#lengths[this.#free] = this.#previousLength + 1;
    this.#free++;
    // Wider one code early, as the format has it.
    if (this.#free + 1 >= 1 << this.width && this.width < widthMax) this.width++;
  }
}
