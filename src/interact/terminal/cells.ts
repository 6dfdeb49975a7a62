import { escapeUnsafe } from "../../base/unsafe-characters.ts";

/**
 * Text in the cells of a terminal. Text from outside goes through `safeText` or `safeLine` before it is
 * measured; styles are put around the measured text.
 */

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const tabCells = 4;

/** Outside text for one line: nothing that would move the cursor. */
export function safeLine(text: string): string {
  return escapeUnsafe(text.replaceAll(/\s*[\r\n]+\s*/g, " ")).replaceAll("\t", " ");
}

/** Outside text for several lines. */
export function safeText(text: string): string {
  return escapeUnsafe(text.replaceAll(/\r\n?/g, "\n")).replaceAll("\t", " ".repeat(tabCells));
}

/** The graphemes of a text: what a person sees as one character each. */
export function graphemesOf(text: string): string[] {
  // Plain text needs no segmenter, and is most of it.
  if (/^[\u0020-\u007e]*$/.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

/** `text` in at most `width` cells; what is cut off is announced by an ellipsis. */
export function cutCells(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  let cut = "";
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += widthOf(grapheme);
    if (used > width - 1) break;
    cut += grapheme;
  }
  return `${cut}…`;
}

/** `text` in exactly `width` cells. */
export function fitCells(text: string, width: number): string {
  const cut = cutCells(text, width);
  return cut + " ".repeat(Math.max(0, width - widthOf(cut)));
}

/** `text` in lines of at most `width` cells, broken between words where that is possible. */
export function wrapCells(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(1, width)));
}

/** Quoted text is behind a gutter, so that it is never mistaken for the text around it. */
function wrapQuoted(line: string, width: number): string[] {
  const [first = "", ...rest] = breakCells(line.slice(2), Math.max(1, width - 2));
  return [line.slice(0, 2) + first, ...rest.map((row) => `┆ ${row}`)];
}

function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line.trimEnd()];
  if (/^[│┆] /.test(line)) return wrapQuoted(line, width);
  const rows: string[] = [];
  let row = "";
  for (const word of line.split(/(?<= )(?=[^ ])/)) {
    if (widthOf(row) + widthOf(word.trimEnd()) <= width) {
      row += word;
      continue;
    }
    if (row.trim() !== "") rows.push(row.trimEnd());
    const pieces = breakCells(word, width);
    row = pieces.pop() ?? "";
    rows.push(...pieces);
  }
  rows.push(row.trimEnd());
  return rows;
}

/** A text without regard to words, in pieces of at most `width` cells. */
export function breakCells(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    const cells = widthOf(grapheme);
    if (used + cells > width && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += grapheme;
    used += cells;
  }
  pieces.push(piece);
  return pieces;
}

/** How the interface looks in one terminal: with colours or without, with drawn signs or plain ones. */
export interface Look {
  bold(text: string): string;
  dim(text: string): string;
  /** Dark on light, as the cursor and the chosen row are. */
  reverse(text: string): string;
  accent(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
  readonly signs: Signs;
}

interface Signs {
  readonly pointer: string;
  readonly running: string;
  readonly done: string;
  readonly open: string;
  readonly failed: string;
  readonly chosen: string;
  readonly notChosen: string;
  readonly checked: string;
  readonly unchecked: string;
  readonly rule: string;
  readonly dot: string;
}

const drawnSigns: Signs = {
  pointer: "›",
  running: "●",
  done: "✓",
  open: "○",
  failed: "✗",
  chosen: "◉",
  notChosen: "○",
  checked: "▣",
  unchecked: "□",
  rule: "─",
  dot: "·",
};

const plainSigns: Signs = {
  pointer: ">",
  running: "*",
  done: "+",
  open: "-",
  failed: "x",
  chosen: "(x)",
  notChosen: "( )",
  checked: "[x]",
  unchecked: "[ ]",
  rule: "-",
  dot: "-",
};

/**
 * @param hasColours false for NO_COLOR: weight and reverse stay, since they carry meaning
 * @param hasDrawnSigns false where the locale is not UTF-8
 */
export function createLook(hasColours: boolean, hasDrawnSigns: boolean): Look {
  const style = (on: number, off: number) => (text: string) =>
    text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`;
  const colour = (code: number): ((text: string) => string) =>
    hasColours ? style(code, 39) : (text) => text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    reverse: style(7, 27),
    accent: colour(36),
    good: colour(32),
    warning: colour(33),
    bad: colour(31),
    signs: hasDrawnSigns ? drawnSigns : plainSigns,
  };
}
