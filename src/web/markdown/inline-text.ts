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
