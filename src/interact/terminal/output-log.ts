import { formatCount } from "../../base/amount-text.ts";
import { attachOutputLinesMax } from "../../base/limits.ts";
import { breakCells, safeText } from "./cells.ts";

/** Sequences that colour text, move the cursor or talk to the terminal, whole or without their end. */
const sequences =
  // eslint-disable-next-line no-control-regex -- naming control characters is the purpose
  /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/** The output of a task as a terminal may show it: text and nothing else. */
export class OutputLog {
  #lines: string[] = [];
  #partial = "";

  /**
   * @param isFirst what was there before is not continued
   * @returns how many of the oldest lines have gone
   */
  add(piece: {
    readonly isFirst: boolean;
    readonly text: string;
    readonly partial: string;
    readonly skippedBytes: number;
  }): number {
    if (piece.isFirst) this.#lines = [];
    if (piece.skippedBytes > 0) {
      this.#lines.push(`[${formatCount(piece.skippedBytes)} bytes are not shown]`);
    }
    const lines = piece.text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    this.#lines.push(...lines.map(plainLine));
    const gone = Math.max(0, this.#lines.length - attachOutputLinesMax);
    this.#lines = this.#lines.slice(gone);
    this.#partial = plainLine(piece.partial);
    return gone;
  }

  /** How many lines there are. */
  get length(): number {
    return this.#lines.length + (this.#partial === "" ? 0 : 1);
  }

  /** The last rows of the lines up to `end` (a number of lines), `height` of them at most. */
  rowsBefore(end: number, width: number, height: number): string[] {
    const rows: string[] = [];
    for (let line = end - 1; line >= 0 && rows.length < height; line--) {
      rows.unshift(...breakCells(this.#lines[line] ?? this.#partial, width));
    }
    return rows.slice(-height);
  }
}

/** For a line that overwrites itself, as progress bars do, the last text is kept. */
function plainLine(line: string): string {
  const parts = line.replaceAll(sequences, "").split("\r");
  return safeText(parts.findLast((part) => part !== "") ?? "");
}
