import type { Block } from "./block.ts";
import { inlineCode } from "./inline-code.ts";

/** The content of a cell on one line: its blocks with `<br>` between them, items of lists behind `•`. */
export function cellText(blocks: readonly Block[], style: "markdown" | "text"): string {
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
