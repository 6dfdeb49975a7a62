/** Pixels of a character of a terminal in a picture, and around all of them. */
const cell = { width: 8.4, height: 18 } as const;
export const margin = 16;

/** Columns and rows. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The picture around `content`, with further rules of style. */
export function pictureOf(
  { columns, rows }: TerminalSize,
  label: string,
  rules: string,
  content: string,
): string {
  const width = Math.ceil(columns * cell.width + margin * 2);
  const height = rows * cell.height + margin * 2;
  const text =
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d8dee9;white-space:pre}";
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ` +
    `aria-label="${Bun.escapeHTML(label)}"><style>${rules}${text}</style>` +
    `<rect width="100%" height="100%" rx="8" fill="#1e222a"/>${content}</svg>\n`
  );
}

/** The place of a row. */
export function rowY(row: number): string {
  return (margin + (row + 0.8) * cell.height).toFixed(1);
}

interface Look {
  bold: boolean;
  dim: boolean;
  reverse: boolean;
  colour: number | undefined;
}

const colours: Readonly<Record<number, string>> = {
  31: "#bf616a",
  32: "#a3be8c",
  33: "#ebcb8b",
  34: "#81a1c1",
  35: "#b48ead",
  36: "#88c0d0",
};

/** A picture of what a terminal shows; `screen` is text with the sequences of `tmux capture-pane -e`. */
export function screenPicture(screen: string, size: TerminalSize, label: string): string {
  const look: Look = { bold: false, dim: false, reverse: false, colour: undefined };
  const rows = screen
    .trimEnd()
    .split("\n")
    .map((line, row) => rowOf(line, row, look));
  return pictureOf(size, label, "", rows.join(""));
}

/** A row; `look` is what the row before has left, and is left so for the next one. */
function rowOf(line: string, row: number, look: Look): string {
  const parts: string[] = [];
  let column = 0;
  for (const [index, piece] of line.split("\u001B[").entries()) {
    // But for the first piece, each begins with the parameters of a sequence.
    const end = index === 0 ? -1 : piece.indexOf("m");
    if (index > 0) setLook(look, piece.slice(0, end));
    const text = piece.slice(end + 1);
    if (text === "") continue;
    parts.push(spanOf(text, column, row, look));
    column += Bun.stringWidth(text);
  }
  return parts.join("");
}

function setLook(look: Look, parameters: string): void {
  for (const code of parameters.split(";").map(Number)) {
    if (code === 0)
      Object.assign(look, { bold: false, dim: false, reverse: false, colour: undefined });
    else if (code === 1) look.bold = true;
    else if (code === 2) look.dim = true;
    else if (code === 7) look.reverse = true;
    else if (code === 39) look.colour = undefined;
    else if (code >= 30 && code <= 37) look.colour = code;
  }
}

function spanOf(text: string, column: number, row: number, look: Look): string {
  const x = margin + column * cell.width;
  const width = Bun.stringWidth(text) * cell.width;
  const fill = look.reverse ? "#1e222a" : colours[look.colour ?? 0];
  const back = look.reverse
    ? `<rect x="${x.toFixed(1)}" y="${(margin + row * cell.height).toFixed(1)}" width="${width.toFixed(1)}" height="${cell.height}" fill="#d8dee9"/>`
    : "";
  const style = [
    ...(look.bold ? ["font-weight:bold"] : []),
    ...(fill === undefined ? [] : [`fill:${fill}`]),
  ].join(";");
  const attributes = [
    `x="${x.toFixed(1)}" y="${rowY(row)}" textLength="${width.toFixed(1)}" xml:space="preserve"`,
    look.dim && !look.reverse ? 'opacity="0.65"' : "",
    style === "" ? "" : `style="${style}"`,
  ].filter((part) => part !== "");
  return text.trim() === "" && !look.reverse
    ? ""
    : `${back}<text ${attributes.join(" ")}>${Bun.escapeHTML(text)}</text>`;
}
