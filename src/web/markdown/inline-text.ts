/** `*` emphasis, `**` strong, `~~` struck out; empty for plain text. */
export type Mark = "" | "*" | "**" | "~~";

interface Piece {
  readonly mark: Mark;
  /** Kept apart until the end: looking at a text that grows would copy it each time. */
  readonly parts: string[];
}

const punctuation = /[\p{P}\p{S}]/u;
const space = /\s/;

/**
 * Inline Markdown that is put together piece by piece: white space collapses across pieces, marks are adjacent to
 * words, and a mark that Markdown would not recognise in its place is left out.
 */
export class InlineText {
  readonly #pieces: Piece[] = [];
  #endsWithSpace = false;

  /** Adds Markdown whose white space is already collapsed. */
  add(markdown: string): void {
    const text = this.#endsWithSpace ? markdown.replace(/^ +/, "") : markdown;
    if (text === "") return;
    this.#push("", text);
  }

  /** Adds `inner` between marks; its outer white space moves out of them. */
  addMarked(mark: Mark, inner: string): void {
    for (const part of inner.split(/(\n+)/)) {
      if (part.startsWith("\n")) {
        this.add(part);
        continue;
      }
      const text = part.trim();
      if (part.startsWith(" ")) this.add(" ");
      if (text !== "") this.#push(mark, text);
      if (part.endsWith(" ")) this.add(part.endsWith("  ") ? "  " : " ");
    }
  }

  /** A line break: `  \n` in Markdown. Two of them end the paragraph. */
  addBreak(sign: string): void {
    this.#push("", sign);
    this.#endsWithSpace = true;
  }

  toString(): string {
    const out: string[] = [];
    let before: string | undefined;
    for (const [index, { mark, parts }] of this.#pieces.entries()) {
      const text = parts.join("");
      const next = this.#pieces[index + 1];
      const after = next === undefined ? undefined : firstChar(next);
      const isMarked = mark !== "" && canMark(text, before, after);
      out.push(isMarked ? `${mark}${text}${mark}` : text);
      before = isMarked ? mark.at(-1) : text.at(-1);
    }
    return out.join("");
  }

  #push(mark: Mark, raw: string): void {
    const last = this.#pieces.at(-1);
    const text = mark === "" && last?.mark === "" ? joined(last, raw) : raw;
    if (last !== undefined && last.mark === mark) last.parts.push(text);
    else this.#pieces.push({ mark, parts: [text] });
    this.#endsWithSpace = space.test(text.at(-1) ?? "");
  }
}

/** Signs that mean nothing alone would make a link or a picture of two pieces. */
function joined({ parts }: Piece, text: string): string {
  const before = parts.at(-1) ?? "";
  if (before.endsWith("]") && text.startsWith("(")) return `\\${text}`;
  if (before.endsWith("!") && text.startsWith("[")) parts.splice(-1, 1, before.slice(0, -1), "\\!");
  return text;
}

function firstChar({ mark, parts }: Piece): string | undefined {
  return mark === "" ? parts[0]?.at(0) : mark;
}

/** CommonMark's flanking rules: a mark with punctuation inside needs space or punctuation outside. */
function canMark(text: string, before: string | undefined, after: string | undefined): boolean {
  if (
    before === "*" ||
    before === "~" ||
    after?.startsWith("*") === true ||
    after?.startsWith("~") === true
  )
    return false;
  return isFlanked(text.at(0), before) && isFlanked(text.at(-1), after);
}

function isFlanked(inside: string | undefined, outside: string | undefined): boolean {
  if (inside === undefined || space.test(inside)) return false;
  if (outside === undefined || space.test(outside) || punctuation.test(outside)) return true;
  return !punctuation.test(inside);
}

/** Writes text so that Markdown shows it as it is, with as few backslashes as that takes. */

/** Signs that have a meaning at any place, or at the end of a piece, where the next one is not known. */
const inline =
  /\\(?=[!-/:-@[-`{-~]|$)|[`]|\*(?! )|(?<! )\*|_(?=[^\p{L}\p{N}])|(?<![\p{L}\p{N}])_|_$(?<=(?<![\p{L}\p{N}])_[\p{L}\p{N}_]{0,40}_)|~(?=~|$)|(?<=~)~|<(?![\s\d=<])|&(?=#?\w{1,31};|#?$)|!(?=\[)|\](?=[\u0080-\u009f]*[([])|\[(?=\^)/gu;

/** Escapes a piece of text that has no line breaks. */
export function escapeText(text: string): string {
  return /[\\`*_~<&!\][]/.test(text) ? text.replace(inline, "\\$&") : text;
}

/** Escapes the characters that would turn a line of inline Markdown into a heading, list, quote, rule, table, fence or definition. */
export function escapeLineStart(line: string): string {
  if (/^(?:[#>+=|:-]|~~~)/.test(line)) {
    if (
      /^(?:#{1,6}(?:\s|$)|>|[+-](?:\s|$)|[-=]{2,}\s*$|=\s*$|\||~~~|-\s*-[-\s]*$|:?-+:?(?:\s*\|\s*:?-+:?)+\s*$)/.test(
        line,
      )
    )
      return `\\${line}`;
    return line;
  }
  const number = /^(\d{1,9})([.)])(?=\s|$)/.exec(line);
  if (number !== null) return `${number[1]}\\${line.slice(number[1]?.length)}`;
  return /^\[[^\]]*\]:/.test(line) ? `\\${line}` : line;
}

/** Escapes brackets, which would end or nest the text of a link. */
export function escapeBrackets(markdown: string): string {
  return markdown.replace(/\\[\s\S]|[[\]]/g, (found) =>
    found.length === 2 ? found : `\\${found}`,
  );
}

/** Text between backticks: as many of them as it takes, white space as in running text. */
export function inlineCode(raw: string, style: "markdown" | "text"): string {
  const text = raw.replace(/\s+/g, " ").trim();
  if (text === "" || style === "text") return text;
  const runs = text.match(/`+/g)?.map((run) => run.length) ?? [];
  const taken = new Set(runs);
  let length = 1;
  while (taken.has(length)) length++;
  const fence = "`".repeat(length);
  const isPadded = text.startsWith("`") || text.endsWith("`");
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** The lines of a fence around code: longer than any run of its sign inside. */
export function fenceLines(language: string, text: string): string[] {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), 3));
  return [`${fence}${language}`, ...text.split("\n"), fence];
}
