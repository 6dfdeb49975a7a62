import { formatAmount } from "../../../base/cut-text.ts";
import { escapeName, escapeUnsafe } from "../../../base/unsafe-characters.ts";

/** Marks of the first row of each quoted line, and of its further rows. Lines without a mark are scorpiox-code's own words. */
const gutter = "│ ";
const goesOn = "┆ ";

/** Cells of a row: a longer line goes on in the next one, so that no window breaks it without a gutter. */
const rowCellsMax = 72;

/** Characters of a fact that somebody else wrote; the command is not to be pushed out of sight by it. */
const factCharsMax = 1_000;

/** Characters that look empty: blanks of all kinds, and letters for which nothing is drawn. */
const looksEmpty =
  /^(?:[\s\u00ad\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180e]|[\ufe00-\ufe0f])*$/u;

/** A fact in one line, whatever is in it: no end of a line and no row of blanks that would look like one. */
export function shownFact(text: string): string {
  const line = escapeName(text).replaceAll(/(?<=\s)\s/gu, escaped);
  if (line.length <= factCharsMax) return line;
  const left = formatAmount(line.length - factCharsMax, "character");
  return `${line.slice(0, factCharsMax).toWellFormed()} (${left} not shown here)`;
}

/** `3 lines, 120 characters`, of a text as it is. */
export function sizeText(text: string): string {
  const lines = text.split(lineEnd).length;
  return `${formatAmount(lines, "line")}, ${formatAmount(text.length, "character")}`;
}

/**
 * A text that the user decides about, unchanged, and so that nothing in it can be taken for scorpiox-code's words: each
 * row is behind a gutter. Rows that look empty are replaced by their number, and so is text too long to be read.
 */
export function shownLines(text: string, charsMax: number): readonly string[] {
  const visible = escapeUnsafe(text).replaceAll(/(?<=\p{M}{3})\p{M}/gu, escaped);
  if (visible.length <= charsMax) return inGutter(visible);
  const half = Math.floor(charsMax / 2);
  const left = formatAmount(visible.length - 2 * half, "character");
  return [
    ...inGutter(visible.slice(0, half).toWellFormed()),
    `(${left} not shown here)`,
    ...inGutter(visible.slice(-half).toWellFormed()),
  ];
}

const lineEnd = /\r\n|\n/;

function inGutter(text: string): readonly string[] {
  const rows: string[] = [];
  let empty = 0;
  const endEmpty = (): void => {
    if (empty > 0) rows.push(`(${formatAmount(empty, "empty line")})`);
    empty = 0;
  };
  for (const line of text.split(lineEnd)) {
    for (const [index, row] of rowsOf(line).entries()) {
      if (looksEmpty.test(row)) {
        empty++;
        continue;
      }
      endEmpty();
      rows.push((index === 0 ? gutter : goesOn) + row);
    }
  }
  endEmpty();
  return rows;
}

/** Whole characters; one without a width is taken to have one. */
function rowsOf(line: string): readonly string[] {
  const rows = [""];
  let cells = 0;
  for (const character of line) {
    const width = character === "\t" ? 4 : Math.max(1, Bun.stringWidth(character));
    if (cells + width > rowCellsMax) {
      rows.push("");
      cells = 0;
    }
    cells += width;
    rows[rows.length - 1] += character;
  }
  return rows;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
