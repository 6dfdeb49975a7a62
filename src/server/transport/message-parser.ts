import { isUtf8 } from "node:buffer";

import { jsonValuesMax, messageDepthMax, messageLineBytesMax } from "../../base/limits.ts";
import { excessOf } from "../../base/weight.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { LineFramer, type FramedPiece } from "./line-framer.ts";
import type { TransportEvent } from "./transport.ts";

const newline = 0x0a;

/**
 * Bytes to messages. Whole lines go to `Bun.JSONL` in one call; its answer counts only when it gave exactly
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
      else events.push(piece.excess === undefined ? lineTooLong() : tooHeavy("line", piece.excess));
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

function lineTooLong(): TransportEvent {
  const message = "Parse error: the line is longer than the limit";
  return { kind: "unreadable", fault: createFault(errorCodes.parseError, message) };
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
