import { isUtf8 } from "node:buffer";
import { jsonValuesMax, messageDepthMax, messageLineBytesMax } from "../../base/limits.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { LineFramer, type FramedPiece } from "./line-framer.ts";
import { excessIn, parseJson, tooHeavy } from "./parse-json.ts";
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
