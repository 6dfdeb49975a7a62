import type { Word } from "./shell-command.ts";

/** Puts a word together while it is read. */
export class WordBuilder {
  readonly #pieces: string[] = [];
  #last = "";
  #isMany = false;
  #isOpaque = false;
  #isSplit = false;
  /** Some of it was quoted, if only by a backslash: it is no reserved word and no assignment. */
  isQuoted = false;

  add(text: string): void {
    if (!this.#isOpaque) this.#last += text;
  }

  /** Anything may stand here. */
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
