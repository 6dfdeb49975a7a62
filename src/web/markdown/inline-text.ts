/** `*` emphasis, `**` strong, `~~` struck out; empty for plain text. */
export type Mark = "" | "*" | "**" | "~~";

interface Piece {
  readonly mark: Mark;
  text: string;
}

const punctuation = /[\p{P}\p{S}]/u;
const space = /\s/;

/**
 * Inline Markdown that is put together piece by piece: white space collapses across pieces, marks stand directly at
 * words, and a mark that Markdown would not recognise where it stands is left out.
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
    let out = "";
    for (const [index, { mark, text }] of this.#pieces.entries()) {
      const next = this.#pieces[index + 1];
      const marked =
        mark !== "" && canMark(text, out.at(-1), next === undefined ? undefined : firstChar(next));
      out += marked ? `${mark}${text}${mark}` : text;
    }
    return out;
  }

  #push(mark: Mark, raw: string): void {
    const last = this.#pieces.at(-1);
    const text = mark === "" && last?.mark === "" ? joined(last, raw) : raw;
    if (last !== undefined && last.mark === mark) last.text += text;
    else this.#pieces.push({ mark, text });
    this.#endsWithSpace = space.test(text.at(-1) ?? "");
  }
}

/** Signs that mean nothing alone would make a link or a picture of two pieces. */
function joined(last: Piece, text: string): string {
  if (last.text.endsWith("]") && text.startsWith("(")) return `\\${text}`;
  if (last.text.endsWith("!") && text.startsWith("[")) last.text = `${last.text.slice(0, -1)}\\!`;
  return text;
}

function firstChar({ mark, text }: Piece): string | undefined {
  return mark === "" ? text.at(0) : mark;
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
