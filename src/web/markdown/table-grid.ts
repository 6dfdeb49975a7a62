import type { HtmlElement } from "../dom/parse-html.ts";
import { spanOf } from "./table-rows.ts";

export interface GridCell {
  readonly cell: HtmlElement | undefined;
  readonly text: string;
  /** Text of the cell that covers this place. */
  readonly covering?: string;
}

/** A cell may claim thousands of columns; no table for readers has as many. */
const columnsMax = 100;
/** The standard's own bound. */
const rowsSpannedMax = 65_534;
/** A short text is repeated in the rows that it covers, so that each row can be read alone; but not without limit. */
const repeatedCharsMax = 60;
const repeatedRowsMax = 50;

interface Carried {
  rowsLeft: number;
  repeatsLeft: number;
  readonly text: string;
}

/** Puts each cell into its columns: what spans columns is followed by empty ones, what spans rows is repeated. */
export function fillGrid(rows: readonly (readonly GridCell[])[]): GridCell[][] {
  const carried = new Map<number, Carried>();
  return rows.map((row) => {
    const filled: GridCell[] = [];
    const takeCarried = (): void => {
      for (
        let above = carried.get(filled.length);
        above !== undefined;
        above = carried.get(filled.length)
      ) {
        const column = filled.length;
        filled.push({
          cell: undefined,
          text: above.repeatsLeft-- > 0 ? above.text : "",
          covering: above.text,
        });
        if (--above.rowsLeft === 0) carried.delete(column);
      }
    };
    for (const { cell, text } of row) {
      takeCarried();
      if (filled.length >= columnsMax) break;
      place(filled, carried, { cell, text });
    }
    takeCarried();
    return filled;
  });
}

function place(filled: GridCell[], carried: Map<number, Carried>, { cell, text }: GridCell): void {
  const columns = cell === undefined ? 1 : spanOf(cell, "colspan", columnsMax - filled.length);
  const rows = cell === undefined ? 1 : spanOf(cell, "rowspan", rowsSpannedMax);
  for (let index = 0; index < columns; index++) {
    const shown = index === 0 ? text : "";
    if (rows > 1) {
      const isRepeated = shown.length <= repeatedCharsMax;
      carried.set(filled.length, {
        rowsLeft: rows - 1,
        repeatsLeft: isRepeated ? repeatedRowsMax : 0,
        text: shown,
      });
    }
    filled.push({ cell: index === 0 ? cell : undefined, text: shown, covering: text });
  }
}
