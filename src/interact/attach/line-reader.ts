import { LineFramer } from "../../server/transport/line-framer.ts";

/**
 * Cuts what comes from a socket into lines of text.
 * @param onLine called with each; false ends the reading
 */
export class LineReader {
  readonly #framer: LineFramer;
  readonly #onLine: (line: string) => boolean;
  // Invalid UTF-8 is replaced: the message that had it is refused, or shown with the replacement.
  readonly #decoder = new TextDecoder();

  constructor(lineBytesMax: number, onLine: (line: string) => boolean) {
    this.#framer = new LineFramer(lineBytesMax);
    this.#onLine = onLine;
  }

  /** False when a line was too long or not wanted: the connection is of no use any more. */
  push(chunk: Uint8Array): boolean {
    for (const piece of this.#framer.push(chunk)) {
      if (piece.kind === "line-too-long") return false;
      const lines = this.#decoder.decode(piece.bytes).split("\n");
      lines.pop();
      if (!lines.every((line) => this.#onLine(line))) return false;
    }
    return true;
  }
}
