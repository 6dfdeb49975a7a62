import type { Look } from "./look.ts";
import type { Size } from "./painter.ts";
import type { Selection } from "./selection.ts";

/** A list of which one row is chosen: as much of it as has room. */
export function drawRows<Row>(
  rows: readonly Row[],
  selection: Selection<Row>,
  size: Size,
  look: Look,
  draw: (row: Row, width: number, isChosen: boolean) => string,
): string[] {
  const { from, to } = selection.window(rows, size.rows);
  const chosen = selection.chosen(rows);
  return rows.slice(from, to).map((row) => {
    const isChosen = row === chosen;
    const pointer = isChosen ? look.accent(look.signs.pointer) : " ";
    return ` ${pointer} ${draw(row, size.columns - 4, isChosen)}`;
  });
}
