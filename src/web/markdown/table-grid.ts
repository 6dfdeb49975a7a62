import { isTag } from "domhandler";

import { attribute, childrenNamed, hasClass, isHidden } from "../dom/element.ts";
import type { HtmlElement } from "../dom/parse-html.ts";

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

/** Puts each cell into its columns: a cell that spans columns is followed by empty ones, one that spans rows is repeated. */
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

export interface TableRow {
  readonly cells: readonly HtmlElement[];
  readonly isHead: boolean;
}

const sections = new Set(["thead", "tbody", "tfoot"]);

/** Grids of javadoc: cells without rows, in as many columns as the class says. */
const gridClass = /(?:^|\s)(two|three|four|five)-column-(?:summary|release-notes)(?:\s|$)/;
const columnWords = ["two", "three", "four", "five"];
const headCellClass = /(?:^|\s)table-header(?:\s|$)/;

/** True for other elements that are tables: by their role for screen readers, or in the form of javadoc. */
export function isTableOfParts(element: HtmlElement): boolean {
  if (element.name === "table") return false;
  if (hasClass(element, gridClass)) return true;
  return attribute(element, "role") === "table" && partRows(element).length > 0;
}

/** The rows of a table, those of the head first, without those of tables inside. */
export function tableRows(table: HtmlElement): TableRow[] {
  if (hasClass(table, gridClass)) return gridRows(table);
  if (table.name !== "table") return partRows(table);
  const rows: TableRow[] = [];
  for (const child of table.children) {
    if (!isTag(child)) continue;
    if (child.name === "tr") rows.push({ cells: cellsOf(child), isHead: false });
    if (!sections.has(child.name)) continue;
    for (const row of childrenNamed(child, ["tr"]))
      rows.push({ cells: cellsOf(row), isHead: child.name === "thead" });
  }
  return rows.filter(({ cells }) => cells.length > 0);
}

function gridRows(grid: HtmlElement): TableRow[] {
  const word = gridClass.exec(attribute(grid, "class"))?.[1] ?? "";
  const columns = columnWords.indexOf(word) + 2;
  const cells = grid.children.filter(isTag).filter((cell) => !isHidden(cell));
  return Array.from({ length: Math.ceil(cells.length / columns) }, (_, index) => {
    const row = cells.slice(index * columns, (index + 1) * columns);
    return { cells: row, isHead: row.every((cell) => hasClass(cell, headCellClass)) };
  });
}

function partRows(table: HtmlElement): TableRow[] {
  const groups = table.children.filter(isTag);
  const rows = groups.flatMap((group) =>
    attribute(group, "role") === "rowgroup" ? group.children.filter(isTag) : [group],
  );
  return rows
    .filter((row) => attribute(row, "role") === "row" && !isHidden(row))
    .map((row) => row.children.filter(isTag).filter(isCellPart))
    .filter((cells) => cells.length > 0)
    .map((cells) => ({
      cells,
      isHead: cells.every((cell) => attribute(cell, "role") === "columnheader"),
    }));
}

function isCellPart(element: HtmlElement): boolean {
  return (
    /^(?:cell|gridcell|columnheader|rowheader)$/.test(attribute(element, "role")) &&
    !isHidden(element)
  );
}

function cellsOf(row: HtmlElement): HtmlElement[] {
  return isHidden(row) ? [] : childrenNamed(row, ["td", "th"]).filter((cell) => !isHidden(cell));
}

/** Columns or rows that a cell covers, at least one. */
function spanOf(cell: HtmlElement, name: "colspan" | "rowspan", max: number): number {
  const span = Number.parseInt(attribute(cell, name), 10);
  return Number.isSafeInteger(span) ? Math.min(Math.max(span, 1), max) : 1;
}
