import { isTag } from "domhandler";

import { attribute, childrenNamed, descendants, hasClass } from "../dom/element.ts";
import type { HtmlElement } from "../dom/parse-html.ts";
import { inlineCode } from "./inline-text.ts";
import { nested, nestingMax, type Place, readLine, type Conversion } from "./conversion.ts";
import { fillGrid, type GridCell, type TableRow, tableRows } from "./table-grid.ts";
import type { Alignment, Block, Table } from "./write-markdown.ts";

/** A table of data becomes one; one that arranges the page, or holds too much for cells, becomes its content. */
export function readTable(table: HtmlElement, place: Place, conversion: Conversion): Block[] {
  const inner = nested(place);
  const rows = tableRows(table);
  const captions = childrenNamed(table, ["caption"]).flatMap((caption) => {
    const text = readLine(caption.children, inner, conversion);
    return text === "" ? [] : [{ kind: "paragraph", text } as const];
  });
  if (place.nesting >= nestingMax || isLayout(table, rows)) {
    const others = table.children.filter((child) => !isTag(child) || child.name !== "caption");
    return [...captions, ...conversion.readBlocks(others, place, conversion)];
  }
  const cells = rows.map(({ cells }) =>
    cells.map((cell) => ({
      cell,
      blocks: conversion.readBlocks(cell.children, { ...inner, isCell: true }, conversion),
    })),
  );
  if (cells.flat().some(({ blocks }) => blocks.some(isTooLarge))) {
    return [
      ...captions,
      ...asList(
        rows,
        cells.map((row) => row.map(({ blocks }) => blocks)),
      ),
    ];
  }
  const grid = fillGrid(
    cells.map((row) =>
      row.map(({ cell, blocks }) => ({ cell, text: cellText(blocks, conversion.style) })),
    ),
  );
  const built = buildTable(rows, grid);
  return built === undefined ? captions : [...captions, { kind: "table", table: built }];
}

function isTooLarge(block: Block): boolean {
  return (
    (block.kind === "code" && block.text.includes("\n")) ||
    block.kind === "table" ||
    block.kind === "quote" ||
    block.kind === "heading"
  );
}

/** Tables that only arrange: one column, tables in tables, cells full of blocks without any sign of data. */
function isLayout(table: HtmlElement, rows: readonly TableRow[]): boolean {
  const role = attribute(table, "role");
  if (role === "presentation" || role === "none" || attribute(table, "datatable") === "0")
    return true;
  if (rows.every(({ cells }) => cells.length <= 1)) return !hasHeader(rows) || rows.length < 2;
  if (hasHeader(rows) || childrenNamed(table, ["caption"]).length > 0) return false;
  return holdsLayout(table, rows);
}

function hasHeader(rows: readonly TableRow[]): boolean {
  return rows.some(({ cells, isHead }) => isHead || cells.some(({ name }) => name === "th"));
}

/** Blocks that no cell of a table of data holds; a look at some of them is enough. */
function holdsLayout(table: HtmlElement, rows: readonly TableRow[]): boolean {
  if (hasClass(table, /(?:^|\s)(?:data|wikitable|table-bordered|docutils|dataframe)(?:\s|$)/))
    return false;
  let blocks = 0;
  for (const node of descendants(table, ({ name }) => name === "pre")) {
    if (!isTag(node)) continue;
    if (node.name === "table") return true;
    if (/^(?:h[1-6]|article|section|form|blockquote|hr|ul|ol|dl)$/.test(node.name)) blocks++;
    if (blocks > rows.length) return true;
  }
  return false;
}

function buildTable(
  rows: readonly TableRow[],
  grid: readonly (readonly GridCell[])[],
): Table | undefined {
  const heads = headerRows(rows);
  const texts = grid.map((row) => row.map(({ text }) => text));
  const body = texts.slice(heads).filter((row) => row.some((text) => text !== ""));
  const width = texts.reduce((most, row) => Math.max(most, row.length), 0);
  const header = Array.from({ length: width }, (_, column) =>
    mergedHeader(
      grid.slice(0, heads).map((row) => row[column]),
      heads,
    ),
  );
  if (width === 0 || (body.length === 0 && header.every((text) => text === ""))) return undefined;
  const alignments = Array.from({ length: width }, (_, column) =>
    alignmentOf(grid[Math.min(heads, grid.length - 1)]?.[column]?.cell),
  );
  return { header, alignments, rows: body };
}

/** Rows of the head, or a first row of header cells only. */
function headerRows(rows: readonly TableRow[]): number {
  const heads = rows.findIndex(({ isHead }) => !isHead);
  if (heads === -1) return rows.length > 1 && rows.every(({ isHead }) => isHead) ? 1 : rows.length;
  if (heads > 0) return heads;
  const first = rows[0]?.cells ?? [];
  const isHeader =
    first.every(({ name }, index) => name === "th" || (index === 0 && first.length > 2)) &&
    first.some(({ name }) => name === "th");
  if (!isHeader) return 0;
  const hasSpans = first.some(({ attribs }) => attribs["colspan"] ?? attribs["rowspan"]);
  const second = rows[1]?.cells ?? [];
  return hasSpans && rows.length > 2 && second.every(({ name }) => name === "th") ? 2 : 1;
}

/** Under a name that covers several columns each has its own name as well. */
function mergedHeader(cells: readonly (GridCell | undefined)[], heads: number): string {
  const texts = cells.map((cell) => (heads > 1 ? cell?.covering : cell?.text) ?? "");
  return [...new Set(texts.filter((text) => text !== ""))].join(" ");
}

function alignmentOf(cell: HtmlElement | undefined): Alignment {
  if (cell === undefined) return "none";
  const value =
    attribute(cell, "align") ||
    (/text-align\s*:\s*(left|center|right)/.exec(attribute(cell, "style"))?.[1] ?? "");
  return value === "left" || value === "center" || value === "right" ? value : "none";
}

/** An item for each row; cells after the first below it, under the names of their columns. */
function asList(
  rows: readonly TableRow[],
  cells: readonly (readonly (readonly Block[])[])[],
): Block[] {
  const heads = headerRows(rows);
  const names = (heads > 0 ? (cells[heads - 1] ?? []) : []).map((blocks) =>
    cellText(blocks, "text"),
  );
  const items = cells.slice(heads).map((row) =>
    row.flatMap((blocks, column): Block[] => {
      const name = names[column] ?? "";
      const [first] = blocks;
      if (name === "" || first === undefined) return [...blocks];
      if (first.kind === "paragraph")
        return [{ kind: "paragraph", text: `${name}: ${first.text}` }, ...blocks.slice(1)];
      return [{ kind: "paragraph", text: `${name}:` }, ...blocks];
    }),
  );
  const filled = items.filter((item) => item.length > 0);
  return filled.length === 0 ? [] : [{ kind: "list", list: { start: null, items: filled } }];
}

/** The content of a cell on one line: its blocks with `<br>` between them, items of lists behind `•`. */
function cellText(blocks: readonly Block[], style: "markdown" | "text"): string {
  const separator = style === "text" ? " " : "<br>";
  return blocks
    .flatMap((block) => linesOf(block, style))
    .filter((line) => line !== "")
    .join(separator)
    .replace(/ *\n+ */g, separator);
}

function linesOf(block: Block, style: "markdown" | "text"): string[] {
  switch (block.kind) {
    case "paragraph":
      return [block.text];
    case "heading":
      return [style === "text" ? block.text : `**${block.text}**`];
    case "code":
      return block.text.split("\n").map((line) => inlineCode(line, style));
    case "math":
      return [style === "text" ? block.tex : `$${block.tex}$`];
    case "list":
      return block.list.items.map((item, index) => {
        const sign = block.list.start === null ? "•" : `${block.list.start + index}.`;
        return `${sign} ${cellText(item, style)}`;
      });
    case "quote":
    case "footnote":
      return [cellText(block.blocks, style)];
    case "table":
      return [...block.table.rows, block.table.header].map((row) => row.join(" "));
    case "rule":
      return [];
  }
}
