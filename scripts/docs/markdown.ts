/** A table of a page of the documentation. It tells the formatter to leave it alone, which would pad every cell. */
export function pageTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return `<!-- prettier-ignore -->\n${markdownTable(headings, rows)}`;
}

/** A Markdown table without padding: the widest cell would set the width of every row. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [
    headings.map(escapeCell),
    headings.map(() => "---"),
    ...rows.map((row) => row.map(escapeCell)),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
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
