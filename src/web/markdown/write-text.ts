import type { Block } from "./block.ts";

/** Blocks as plain text: code as it is, cells between tabs, items behind dashes or their numbers. */
export function writeText(blocks: readonly Block[]): string {
  return writeAll(blocks).join("\n");
}

function writeAll(blocks: readonly Block[]): string[] {
  const lines: string[] = [];
  for (const block of blocks) {
    if (lines.length > 0) lines.push("");
    for (const line of writeBlock(block)) lines.push(line);
  }
  return lines;
}

function writeBlock(block: Block): string[] {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return block.text.split("\n").map((line) => line.trim());
    case "code":
      return block.text.split("\n");
    case "math":
      return [block.tex];
    case "quote":
      return writeAll(block.blocks).map((line) => (line === "" ? "" : `  ${line}`));
    case "list":
      return block.list.items.flatMap((item, index) => {
        const marker = block.list.start === null ? "- " : `${block.list.start + index}. `;
        return hung(item.flatMap(writeBlock), marker);
      });
    case "table":
      return [block.table.header, ...block.table.rows]
        .filter((row) => row.some((cell) => cell !== ""))
        .map((row) => row.join("\t").trimEnd());
    case "footnote":
      return hung(writeAll(block.blocks), `[${block.label}] `);
    case "rule":
      return ["---"];
  }
}

function hung(lines: readonly string[], marker: string): string[] {
  return lines.map((line, index) =>
    index === 0 ? `${marker}${line}` : line === "" ? "" : `  ${line}`,
  );
}
