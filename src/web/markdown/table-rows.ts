import { isTag } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import { attribute, childrenNamed } from "./element.ts";
import { isHidden } from "./hidden.ts";

export interface TableRow {
  readonly cells: readonly HtmlElement[];
  readonly isHead: boolean;
}

const sections = new Set(["thead", "tbody", "tfoot"]);

/** The rows of a table, those of the head first, without those of tables inside. */
export function tableRows(table: HtmlElement): TableRow[] {
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

function cellsOf(row: HtmlElement): HtmlElement[] {
  return isHidden(row) ? [] : childrenNamed(row, ["td", "th"]).filter((cell) => !isHidden(cell));
}

/** Columns or rows that a cell covers, at least one. */
export function spanOf(cell: HtmlElement, name: "colspan" | "rowspan", max: number): number {
  const span = Number.parseInt(attribute(cell, name), 10);
  return Number.isSafeInteger(span) ? Math.min(Math.max(span, 1), max) : 1;
}
