import { escapeLineStart, fenceLines } from "./inline-text.ts";

/** The blocks of a page. Text is inline Markdown, or plain text when plain text is wanted. */
export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "math"; readonly tex: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly list: List }
  | { readonly kind: "table"; readonly table: Table }
  | { readonly kind: "footnote"; readonly label: string; readonly blocks: readonly Block[] }
  | { readonly kind: "rule" };

interface List {
  /** Number of the first item; null = bullets. */
  readonly start: number | null;
  readonly items: readonly (readonly Block[])[];
}

export type Alignment = "left" | "center" | "right" | "none";

export interface Table {
  /** Empty texts when the table has no header. */
  readonly header: readonly string[];
  readonly alignments: readonly Alignment[];
  readonly rows: readonly (readonly string[])[];
}

/** Blocks as Markdown, an empty line between each two. */
export function writeMarkdown(blocks: readonly Block[]): string {
  return writeAll(blocks).join("\n");
}

/** The lines of all blocks. */
function writeAll(blocks: readonly Block[]): string[] {
  const lines: string[] = [];
  let bullet: "-" | "*" = "-";
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1];
    // Lists side by side would become one: the other sign keeps them apart.
    bullet = block.kind === "list" && before?.kind === "list" && bullet === "-" ? "*" : "-";
    if (lines.length > 0) lines.push("");
    for (const line of writeBlock(block, bullet)) lines.push(line);
  }
  return lines;
}

function writeBlock(block: Block, bullet: "-" | "*"): string[] {
  switch (block.kind) {
    case "paragraph":
      return block.text.split("\n").map((line) => escapeLineStart(line.trimStart()));
    case "heading":
      return [`${"#".repeat(block.level)} ${headingText(block.text)}`];
    case "code":
      return fenceLines(block.language, block.text);
    case "math":
      return ["$$", block.tex, "$$"];
    case "quote":
      return writeAll(block.blocks).map((line) => (line === "" ? ">" : `> ${line}`));
    case "list":
      return writeList(block.list, bullet);
    case "table":
      return writeTable(block.table);
    case "footnote":
      return indented(writeAll(block.blocks), `[^${block.label}]: `, "    ");
    case "rule":
      return ["---"];
  }
}

/** Read alone it is not a list or quote, and signs at its end are not those that close a heading. */
function headingText(text: string): string {
  return escapeLineStart(text).replace(/(?<=\s)(#+)$/, "\\$1");
}

function writeList(list: List, bullet: "-" | "*"): string[] {
  const isTight = list.items.every(isTightItem);
  return list.items.flatMap((item, index) => {
    const marker = list.start === null ? `${bullet} ` : `${list.start + index}. `;
    const lines = isTight ? item.flatMap((block) => writeBlock(block, "-")) : writeAll(item);
    const written = indented(lines, marker, " ".repeat(marker.length));
    return isTight || index === 0 ? written : ["", ...written];
  });
}

/** One paragraph, and perhaps lists below it. */
function isTightItem(item: readonly Block[]): boolean {
  const [first, ...others] = item;
  if (first?.kind !== "paragraph" && first?.kind !== "list") return item.length === 0;
  return others.every((block) => block.kind === "list" && block.list.items.every(isTightItem));
}

function indented(lines: readonly string[], marker: string, indent: string): string[] {
  return lines.map((line, index) => {
    if (index === 0) return `${marker}${line}`;
    return line === "" ? "" : `${indent}${line}`;
  });
}

const rulers: Readonly<Record<Alignment, string>> = {
  none: "---",
  left: ":--",
  center: ":-:",
  right: "--:",
};
/** Empty cells at the end of a row are written up to this width; wider tables go without. */
const paddedColumnsMax = 20;

function writeTable({ header, alignments, rows }: Table): string[] {
  return [
    tableRow(header, header.length),
    `| ${alignments.map((alignment) => rulers[alignment]).join(" | ")} |`,
    ...rows.map((row) => tableRow(row, Math.min(header.length, paddedColumnsMax))),
  ];
}

function tableRow(cells: readonly string[], width: number): string {
  const texts = cells.map((cell) => cell.replaceAll("|", "\\|"));
  while (texts.length < width) texts.push("");
  return `| ${texts.join(" | ")} |`;
}

/** Blocks as plain text: code as it is, cells between tabs, items behind dashes or their numbers. */
export function writeText(blocks: readonly Block[]): string {
  return writePlainAll(blocks).join("\n");
}

function writePlainAll(blocks: readonly Block[]): string[] {
  const lines: string[] = [];
  for (const block of blocks) {
    if (lines.length > 0) lines.push("");
    for (const line of writePlainBlock(block)) lines.push(line);
  }
  return lines;
}

function writePlainBlock(block: Block): string[] {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return block.text.split("\n").map((line) => line.trim());
    case "code":
      return block.text.split("\n");
    case "math":
      return [block.tex];
    case "quote":
      return writePlainAll(block.blocks).map((line) => (line === "" ? "" : `  ${line}`));
    case "list":
      return block.list.items.flatMap((item, index) => {
        const marker = block.list.start === null ? "- " : `${block.list.start + index}. `;
        return hung(item.flatMap(writePlainBlock), marker);
      });
    case "table":
      return [block.table.header, ...block.table.rows]
        .filter((row) => row.some((cell) => cell !== ""))
        .map((row) => row.join("\t").trimEnd());
    case "footnote":
      return hung(writePlainAll(block.blocks), `[${block.label}] `);
    case "rule":
      return ["---"];
  }
}

function hung(lines: readonly string[], marker: string): string[] {
  return lines.map((line, index) =>
    index === 0 ? `${marker}${line}` : line === "" ? "" : `  ${line}`,
  );
}
