export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Terminals that know it show a frame as a whole; the others ignore it. */
const beginFrame = "\u001b[?2026h";
const endFrame = "\u001b[?2026l";

/** Draws frames: what has changed since the last one, in one write. */
export class Painter {
  readonly #write: (text: string) => void;
  #shown: readonly string[] = [];

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Forgets the drawn frame: after a resize, or when another program had the terminal. */
  forget(): void {
    this.#shown = [];
  }

  /** @param lines one for each row of the terminal; styled, and no wider than it */
  paint(lines: readonly string[]): void {
    const isFirst = this.#shown.length !== lines.length;
    const changed = lines
      .map((line, row) => ({ line, row }))
      .filter(({ line, row }) => isFirst || line !== this.#shown[row]);
    this.#shown = lines;
    if (changed.length === 0) return;
    // Erased before it is written: behind a full row the erasing would take its last cell.
    const rows = changed.map(({ line, row }) => `\u001b[${row + 1};1H\u001b[2K${line}\u001b[0m`);
    this.#write(`${beginFrame}${isFirst ? "\u001b[2J" : ""}${rows.join("")}${endFrame}`);
  }
}
