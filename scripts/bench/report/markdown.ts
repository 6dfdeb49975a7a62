/** A Markdown table, its columns padded as the formatter pads them. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = headings.map((heading, column) =>
    Math.max(3, ...[heading, ...rows.map((row) => row[column] ?? "")].map(widthOf)),
  );
  const printRow = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(cells[column] ?? "", width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [printRow(headings), rule, ...rows.map(printRow)].join("\n");
}

function pad(text: string, width: number): string {
  return text + " ".repeat(width - widthOf(text));
}

function widthOf(text: string): number {
  return Bun.stringWidth(text);
}
