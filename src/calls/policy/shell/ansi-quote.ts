import { type ShellText, Unreadable, type Word } from "./shell-text.ts";

/** Puts a word together while it is read. */
export class WordBuilder {
  readonly #pieces: string[] = [];
  #last = "";
  #isMany = false;
  #isOpaque = false;
  #isSplit = false;
  /** Some of it was quoted, if only by a backslash: it is neither a reserved word nor an assignment. */
  isQuoted = false;

  add(text: string): void {
    if (!this.#isOpaque) this.#last += text;
  }

  /** Any text may be here. */
  addUnknown(isMany: boolean): void {
    this.#isMany ||= isMany;
    if (this.#isOpaque || (this.#last === "" && this.#pieces.length > 0)) return;
    this.#pieces.push(this.#last);
    this.#last = "";
  }

  /** The value of an expansion without quotes: blanks in it end the word, so that nothing is known of any part. */
  addSplit(): void {
    this.#isSplit = true;
    this.addUnknown(true);
  }

  /** Nothing is known of the rest, whatever its characters: braces and sets of characters. */
  endKnown(isMany: boolean): void {
    this.addUnknown(isMany);
    this.#isOpaque = true;
  }

  get word(): Word {
    if (this.#isSplit) return { pieces: ["", ""], isMany: true };
    return { pieces: [...this.#pieces, this.#last], isMany: this.#isMany };
  }
}

const letters: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** `$'…'`, at the dollar sign. @throws Unreadable */
export function readAnsiQuote(text: ShellText, word: WordBuilder): void {
  text.assertBash("$' '");
  word.isQuoted = true;
  text.at += 2;
  for (;;) {
    const plain = text.match(/[^'\\]+/y) ?? "";
    word.add(plain);
    text.at += plain.length;
    if (text.isAtEnd) throw new Unreadable("a quote without end");
    if (text.char() === "'") break;
    word.add(readEscape(text));
  }
  text.at++;
}

function readEscape(text: ShellText): string {
  const letter = letters[text.char(1)];
  if (letter !== undefined) {
    text.at += 2;
    return letter;
  }
  // bash takes all digits behind the brace, whether another one follows or not.
  if (text.match(/\\x\{/y) !== undefined) throw new Unreadable("\\x{ in $' '");
  const number = text.match(/\\(?:[0-7]{1,3}|x[\dA-Fa-f]{1,2}|u[\dA-Fa-f]{1,4}|U[\dA-Fa-f]{1,8})/y);
  if (number !== undefined) {
    text.at += number.length;
    return numbered(number);
  }
  if (text.char(1) === "c") throw new Unreadable("a control character in $' '");
  const kept = text.text.slice(text.at, text.at + 2);
  text.at += 2;
  return kept;
}

function numbered(escape: string): string {
  const isHex = /^\\[xuU]/.test(escape);
  const code = isHex ? Number.parseInt(escape.slice(2), 16) : Number.parseInt(escape.slice(1), 8);
  // The shell ends the word at a NUL, and bytes above ASCII may be parts of a character.
  const isByte = !/^\\[uU]/.test(escape);
  if (code === 0 || code > 0x10ffff || (isByte && code > 0x7f)) {
    throw new Unreadable("an escape in $' ' that is not a character");
  }
  return String.fromCodePoint(code);
}
