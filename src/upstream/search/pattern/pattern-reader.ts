import { PatternError } from "./pattern-node.ts";

/** Goes through the source of a pattern, one UTF-16 unit at a time. */
export class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  isAt(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  /** Goes past `text` when it is next. */
  take(text: string): boolean {
    if (!this.isAt(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Goes past what a sticky expression matches here. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  /** @throws PatternError at the end */
  next(): string {
    const unit = this.#source[this.#at++];
    if (unit === undefined) throw new PatternError("ends too early");
    return unit;
  }
}
