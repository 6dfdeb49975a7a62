import { isUtf8 } from "node:buffer";
import { jsonValuesMax, messageDepthMax, messageLineBytesMax } from "../../base/limits.ts";
import { excessOf, JsonWeight, type WeightBounds } from "../../base/weight.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { TransportEvent } from "./transport.ts";

const newline = 0x0a;
const lineTooLong = "Parse error: the line is longer than the limit";
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
  /** The weight of the line that is carried, once that is long. */
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

/**
 * Bytes to messages. Whole lines go to `Bun.JSONL` in one call; its answer is used only when it gave exactly
 * one value per line, because it replaces bad UTF-8, skips a byte order mark, takes a value that spans lines
 * and stops at the first bad one. Everything else is read line by line, so that one bad line costs one error.
 */
export class MessageParser {
  readonly #framer: LineFramer;
  readonly #depthMax: number;

  constructor(lineBytesMax: number = messageLineBytesMax, depthMax: number = messageDepthMax) {
    this.#framer = new LineFramer(lineBytesMax, { depthMax, valuesMax: jsonValuesMax });
    this.#depthMax = depthMax;
  }

  push(chunk: Uint8Array): TransportEvent[] {
    return this.#parsePieces(this.#framer.push(chunk));
  }

  /** Flushes the last line at the end of the input. */
  end(): TransportEvent[] {
    return this.#parsePieces(this.#framer.end());
  }

  #parsePieces(pieces: readonly FramedPiece[]): TransportEvent[] {
    const events: TransportEvent[] = [];
    for (const piece of pieces) {
      if (piece.kind === "lines") this.#parseLines(piece.bytes, piece.isWeighed === true, events);
      else if (piece.excess !== undefined) events.push(tooHeavy("line", piece.excess));
      else events.push(unreadable(errorCodes.parseError, lineTooLong));
    }
    return events;
  }

  #parseLines(bytes: Uint8Array, isWeighed: boolean, events: TransportEvent[]): void {
    const values = this.#parseAtOnce(bytes, isWeighed);
    if (values !== undefined) {
      for (const value of values) events.push({ kind: "message", value });
      return;
    }
    for (let start = 0; start < bytes.length;) {
      const end = lineEnd(bytes, start);
      if (!isBlank(bytes, start, end))
        events.push(parseJson(bytes.subarray(start, end), "line", this.#depthMax));
      start = end + 1;
    }
  }

  /** The values of all lines, or undefined when the lines have to be read one by one. */
  #parseAtOnce(bytes: Uint8Array, isWeighed: boolean): readonly unknown[] | undefined {
    const lineCount = this.#countPlainLines(bytes, isWeighed);
    if (lineCount === undefined || !isUtf8(bytes)) return undefined;
    if (lineCount === 0) return [];
    const { values, error } = Bun.JSONL.parseChunk(bytes);
    return error === null && values.length === lineCount ? values : undefined;
  }

  /** How many lines are not blank; undefined when one is too much or starts with a byte order mark. */
  #countPlainLines(bytes: Uint8Array, isWeighed: boolean): number | undefined {
    let count = 0;
    for (let start = 0; start < bytes.length;) {
      const end = lineEnd(bytes, start);
      if (bytes[start] === 0xef) return undefined;
      if (!isWeighed && excessIn(bytes, start, end, this.#depthMax) !== undefined) return undefined;
      if (!isBlank(bytes, start, end)) count += 1;
      start = end + 1;
    }
    return count;
  }
}

function lineEnd(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(newline, start);
  return end === -1 ? bytes.length : end;
}

/** True for an empty line and for one of spaces, tabs and carriage returns. */
function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * One JSON text, strictly: bad UTF-8, a byte order mark and anything around the value are refused.
 * @param what the name of the text in errors, such as "line"
 */
export function parseJson(
  bytes: Uint8Array,
  what: string,
  depthMax: number = messageDepthMax,
): TransportEvent {
  const excess = excessIn(bytes, 0, bytes.length, depthMax);
  if (excess !== undefined) return tooHeavy(what, excess);
  if (!isUtf8(bytes)) {
    return unreadable(errorCodes.parseError, `Parse error: the ${what} is not UTF-8`);
  }
  try {
    return { kind: "message", value: JSON.parse(decoder.decode(bytes)) as unknown };
  } catch {
    return unreadable(errorCodes.parseError, `Parse error: the ${what} is not JSON`);
  }
}

/** A text of which nothing more is looked at. */
function tooHeavy(what: string, excess: string): TransportEvent {
  const message = `Invalid request: the ${what} has more than ${excess}`;
  return unreadable(errorCodes.invalidRequest, message);
}

/** The limit that the text from `start` to `end` exceeds. Each level takes two bytes, so a short text needs no look. */
function excessIn(
  bytes: Uint8Array,
  start: number,
  end: number,
  depthMax: number,
): string | undefined {
  if (end - start <= 2 * depthMax) return undefined;
  return excessOf(bytes.subarray(start, end), { depthMax, valuesMax: jsonValuesMax });
}

function unreadable(code: number, message: string): TransportEvent {
  return { kind: "unreadable", fault: createFault(code, message) };
}
