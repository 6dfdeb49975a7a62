import { messageLineBytesMax } from "../../base/limits.ts";
import { JsonWeight, type WeightBounds } from "../../base/weight.ts";

const newline = 0x0a;
/** First size of the buffer for a line whose end has not come yet. */
const carryBytesStart = 4 * 1024;
/** A line is weighed as it comes when more than this has come of it. */
const unweighedBytesMax = 64 * 1024;

/** `lines` holds one or more whole lines, newlines included (the last line of the input may lack its own). */
export type FramedPiece =
  | {
      readonly kind: "lines";
      readonly bytes: Uint8Array;
      /** It is one line, and was found light enough. */
      readonly isWeighed?: true;
    }
  | {
      readonly kind: "line-too-long";
      /** The exceeded limit; absent = bytes. */
      readonly excess?: string;
    };

/**
 * Cuts bytes into whole lines in bounded memory. How the input is divided into chunks changes nothing
 * but how many lines come in one piece. A line above the cap, or too heavy to be parsed, is reported when that is known,
 * and the rest of it is dropped unseen (TH2).
 */
export class LineFramer {
  readonly #lineBytesMax: number;
  readonly #bounds: WeightBounds | undefined;
  /** Of the line that is carried, once that is long. */
  #weight: JsonWeight | undefined;
  #carry = new Uint8Array(0);
  #carryLength = 0;
  #discarding = false;

  /** @param bounds of lines that come in many chunks; others are checked by the parser. Absent = none. */
  constructor(lineBytesMax: number = messageLineBytesMax, bounds?: WeightBounds) {
    this.#lineBytesMax = lineBytesMax;
    this.#bounds = bounds;
  }

  /** The pieces that `chunk` completes. */
  push(chunk: Uint8Array): FramedPiece[] {
    const pieces: FramedPiece[] = [];
    const rest = this.#continueLine(chunk, pieces);
    const end = rest.lastIndexOf(newline) + 1;
    if (end > 0) this.#cutLines(rest.subarray(0, end), pieces);
    this.#keep(rest.subarray(end), pieces);
    return pieces;
  }

  /** The last line of an input that ended without a newline. */
  end(): FramedPiece[] {
    if (this.#carryLength === 0) return [];
    return [this.#takeCarry()];
  }

  /** Completes the line begun in earlier chunks; returns what follows it. */
  #continueLine(chunk: Uint8Array, pieces: FramedPiece[]): Uint8Array {
    if (this.#carryLength === 0 && !this.#discarding) return chunk;
    const end = chunk.indexOf(newline) + 1;
    if (end === 0) return chunk;
    if (this.#discarding) {
      this.#discarding = false;
    } else if (this.#carryLength + end - 1 > this.#lineBytesMax) {
      this.#dropCarry();
      pieces.push({ kind: "line-too-long" });
    } else {
      this.#append(chunk.subarray(0, end));
      pieces.push(this.#takeHeavy() ?? this.#takeCarry());
    }
    return chunk.subarray(end);
  }

  #cutLines(region: Uint8Array, pieces: FramedPiece[]): void {
    if (region.length <= this.#lineBytesMax) {
      pieces.push({ kind: "lines", bytes: region });
      return;
    }
    for (let start = 0; start < region.length;) {
      const end = region.indexOf(newline, start) + 1;
      const fits = end - 1 - start <= this.#lineBytesMax;
      pieces.push(
        fits ? { kind: "lines", bytes: region.subarray(start, end) } : { kind: "line-too-long" },
      );
      start = end;
    }
  }

  /** Keeps the beginning of a line whose end has not come yet. */
  #keep(beginning: Uint8Array, pieces: FramedPiece[]): void {
    if (this.#discarding || beginning.length === 0) return;
    if (this.#carryLength + beginning.length <= this.#lineBytesMax) {
      this.#append(beginning);
      const heavy = this.#takeHeavy();
      if (heavy === undefined) return;
      this.#discarding = true;
      pieces.push(heavy);
      return;
    }
    this.#discarding = true;
    this.#dropCarry();
    pieces.push({ kind: "line-too-long" });
  }

  /** Grows by doubling, so that a line that comes byte by byte is copied a constant number of times. */
  #append(bytes: Uint8Array): void {
    const length = this.#carryLength + bytes.length;
    if (length > this.#carry.length) {
      const grown = new Uint8Array(Math.max(length, this.#carry.length * 2, carryBytesStart));
      grown.set(this.#carry.subarray(0, this.#carryLength));
      this.#carry = grown;
    }
    this.#carry.set(bytes, this.#carryLength);
    this.#carryLength = length;
    this.#weigh(bytes);
  }

  /** The carried bytes are added with the first piece that is weighed. */
  #weigh(newest: Uint8Array): void {
    if (this.#bounds === undefined || this.#carryLength <= unweighedBytesMax) return;
    if (this.#weight !== undefined) return this.#weight.add(newest);
    this.#weight = new JsonWeight(this.#bounds);
    this.#weight.add(this.#carry.subarray(0, this.#carryLength));
  }

  /** Drops what is carried when it weighs too much already. */
  #takeHeavy(): FramedPiece | undefined {
    const excess = this.#weight?.excess;
    if (excess === undefined) return undefined;
    this.#dropCarry();
    return { kind: "line-too-long", excess };
  }

  /** Hands the buffer over; the next carry gets its own. */
  #takeCarry(): FramedPiece {
    const bytes = this.#carry.subarray(0, this.#carryLength);
    const isWeighed = this.#weight === undefined ? {} : { isWeighed: true as const };
    this.#dropCarry();
    return { kind: "lines", bytes, ...isWeighed };
  }

  #dropCarry(): void {
    this.#weight = undefined;
    this.#carry = new Uint8Array(0);
    this.#carryLength = 0;
  }
}
