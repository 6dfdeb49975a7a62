/** Texts that try to run a program without its being seen. */
import { pick } from "../../tool-search/random.ts";
import { around, before, between, forbidden, others, soup } from "./pieces.ts";

export type Random = () => number;

/** Longer ones only repeat themselves. */
const charsMax = 300;

/** Makes candidates in three ways: by the grammar, from commands as people write them, and of any characters. */
export class Candidates {
  readonly #random: Random;
  readonly #usual: readonly string[];

  constructor(random: Random, usual: readonly string[]) {
    this.#random = random;
    this.#usual = usual.filter((text) => text.length <= charsMax);
  }

  next(): string {
    const way = this.#random();
    const text = way < 0.45 ? this.#torn() : way < 0.75 ? this.#mutated() : this.#soup();
    return text.length <= charsMax ? text : this.next();
  }

  #pick<Item>(items: readonly Item[]): Item {
    return pick(items, this.#random);
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  /** A command by the grammar, with `forbid` in it. */
  #command(depth: number): string {
    const way = this.#random();
    if (depth > 4 || way < 0.25)
      return this.#pick(forbidden) + this.#pick(["", "", " x", " {}", " -c y"]);
    if (way < 0.35) return this.#joined(depth);
    if (way < 0.6) return this.#pick(before) + this.#command(depth + 1);
    const [head, tail] = this.#pick(around);
    return head + this.#command(depth + 1) + tail;
  }

  #joined(depth: number): string {
    const parts = [
      this.#command(depth + 1),
      this.#random() < 0.5 ? this.#pick(others) : this.#command(depth + 1),
    ];
    if (this.#random() < 0.5) parts.reverse();
    return parts.join(this.#pick(between));
  }

  /** The same with some places changed. */
  #torn(): string {
    let text = this.#command(0);
    for (let changes = this.#below(4); changes > 0; changes--) text = this.#changed(text);
    return text;
  }

  /** A command of the corpus into which `forbid` is put, or two of them one into the other. */
  #mutated(): string {
    let text = this.#pick(this.#usual);
    if (this.#random() < 0.2)
      text = this.#insertedInto(text, this.#pick(this.#usual).slice(0, this.#below(60)));
    const words = text.split(/(?<=[\s;|&()'"`])/);
    const at = this.#below(words.length);
    const mark = this.#random() < 0.5 ? this.#pick(forbidden) : this.#command(3);
    const way = this.#random();
    if (way < 0.5) words.splice(at, 0, `${mark} `);
    else words.splice(at, 1, mark, this.#pick([" ", "", ";", "\n"]));
    text = words.join("");
    for (let changes = this.#below(5); changes > 0; changes--) text = this.#changed(text);
    return text;
  }

  #soup(): string {
    const some = (most: number): string =>
      Array.from({ length: this.#below(most) }, () => this.#pick(soup)).join(
        this.#pick(["", "", " "]),
      );
    const mark = this.#pick([
      "forbid",
      "forbid",
      "\nforbid\n",
      " forbid ",
      "; forbid;",
      "forbid x",
      this.#pick(forbidden),
    ]);
    return some(8) + mark + some(7);
  }

  #changed(text: string): string {
    const at = this.#below(text.length + 1);
    const way = this.#random();
    if (way < 0.35) return text.slice(0, at) + text.slice(at + 1 + this.#below(2));
    if (way < 0.8) return this.#insertedInto(text, this.#pick(soup));
    if (way < 0.9) return this.#insertedInto(text, this.#pick(before));
    const from = this.#below(text.length);
    return this.#insertedInto(text, text.slice(from, from + 1 + this.#below(12)));
  }

  #insertedInto(text: string, piece: string): string {
    const at = this.#below(text.length + 1);
    return text.slice(0, at) + piece + text.slice(at);
  }
}
