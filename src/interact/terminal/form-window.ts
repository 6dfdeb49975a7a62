import type { DrawnForm } from "./draw-form.ts";
import type { Look } from "./look.ts";

/** A window of fewer rows has none for saying that there is more. */
const rowsForMore = 4;

/** The part of a form that has room. Nothing is chosen that has not been in it. */
export class FormWindow {
  #drawn: DrawnForm | undefined;
  #from = 0;
  #height = 1;
  /** Where pages were turned to; undefined follows the pointer. */
  #turned: number | undefined;

  /** The lines that are seen, and a line that says that there are more. */
  show(drawn: DrawnForm, rows: number, look: Look): readonly string[] {
    const { lines } = drawn;
    const isWhole = lines.length <= rows;
    const hasMore = !isWhole && rows >= rowsForMore;
    this.#drawn = drawn;
    this.#height = Math.max(1, hasMore ? rows - 1 : rows);
    const last = Math.max(0, lines.length - this.#height);
    this.#from = isWhole ? 0 : Math.min(last, Math.max(0, this.#turned ?? this.#followed(drawn)));
    const seen = lines.slice(this.#from, this.#from + this.#height);
    if (!hasMore) return seen;
    const below = lines.length - this.#from - this.#height;
    const more = below > 0 ? `${below} more lines: page down` : "page up";
    return [...seen, ` ${look.warning(more)}`];
  }

  /** The pointer has moved, or something was written. */
  follow(): void {
    this.#turned = undefined;
  }

  /** @param pages -1 for the one before */
  turn(pages: number): void {
    this.#turned = this.#from + pages * this.#step;
  }

  /** Lines of a page: one is seen again. */
  get #step(): number {
    return Math.max(1, this.#height - 1);
  }

  /** True when the pointer is at a visible row; else the window turns a page on the way there: nothing is skipped. */
  reveal(): boolean {
    if (this.#drawn === undefined) return true;
    const { rowFrom, rowTo } = this.#drawn;
    const isSeen = rowFrom >= this.#from && rowFrom < this.#from + this.#height;
    if (isSeen) return true;
    this.#turned = Math.min(this.#from + this.#step, rowFrom, rowTo - this.#height);
    return false;
  }

  /** A question is read from its beginning; then the row of the pointer is in the window. */
  #followed({ rowFrom, rowTo, isFirstRow, isWriting }: DrawnForm): number {
    if (isFirstRow) return 0;
    const end = rowTo - this.#height;
    return isWriting ? end : Math.min(rowFrom, end);
  }
}
