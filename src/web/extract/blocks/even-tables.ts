import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type { Block } from "./block.ts";
import { weightOf } from "./judge-blocks.ts";

/** Cells with this much text are parts of a page that is laid out as a table. */
const cellCharsMax = 1_500;

/**
 * The opinions, with those of each table of data made one: half a table tells nothing. A table that
 * holds another, or long cells, is the layout of a page and stays as it is.
 */
export function evenTables(blocks: readonly Block[], opinions: readonly number[]): number[] {
  const tables = new Map<HtmlElement, number[]>();
  const layouts = new Set<HtmlElement>();
  for (const [index, block] of blocks.entries()) {
    const [table, ...outer] = tablesAround(block.container);
    if (table === undefined) continue;
    for (const element of outer) layouts.add(element);
    if (block.chars > cellCharsMax) layouts.add(table);
    const indexes = tables.get(table);
    if (indexes === undefined) tables.set(table, [index]);
    else indexes.push(index);
  }
  const even = [...opinions];
  for (const [table, indexes] of tables) {
    if (layouts.has(table)) continue;
    let [sum, total] = [0, 0];
    for (const index of indexes) {
      const block = blocks[index];
      const weight = block === undefined ? 0 : weightOf(block);
      sum += (opinions[index] ?? 0) * weight;
      total += weight;
    }
    for (const index of indexes) even[index] = sum / total;
  }
  return even;
}

/** The tables that `element` stands in, innermost first. */
function tablesAround(element: HtmlElement): HtmlElement[] {
  const tables: HtmlElement[] = [];
  let at: HtmlElement | undefined = element;
  while (at !== undefined) {
    if (at.name === "table") tables.push(at);
    at = at.parent !== null && isTag(at.parent) ? at.parent : undefined;
  }
  return tables;
}
