/** A Markdown table, its columns padded as the formatter pads them. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [headings, ...rows].map((row) => row.map(escapeCell));
  const widths = headings.map((_, column) =>
    Math.max(3, ...cells.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const printRow = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => padTo(row[column] ?? "", width)).join(" | ")} |`;
  const rule = printRow(widths.map((width) => "-".repeat(width)));
  const [head = [], ...body] = cells;
  return [printRow(head), rule, ...body.map(printRow)].join("\n");
}

/** Prose from the code: what looks like a tag would vanish. */
export function prose(text: string): string {
  return text.replaceAll(/`[^`]*`|</g, (match) => (match === "<" ? "\\<" : match));
}

export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

/** A bar would end the cell, inside of code too. */
function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}
