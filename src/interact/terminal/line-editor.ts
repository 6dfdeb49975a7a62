import { questionOtherCharsMax } from "../../base/limits.ts";
import { breakCells, graphemesOf, type Look, safeLine } from "./cells.ts";
import type { Key } from "./keys.ts";

/** A line of text that somebody writes. */
export class LineEditor {
  #before: string[] = [];
  #after: string[] = [];

  get text(): string {
    return [...this.#before, ...this.#after].join("");
  }

  get isEmpty(): boolean {
    return this.text.trim() === "";
  }

  /** Nothing more has room. */
  get isFull(): boolean {
    return this.text.length >= questionOtherCharsMax;
  }

  /** False when the key means nothing to an editor. */
  press(key: Key): boolean {
    if (key.text !== "") this.#insert(key.text);
    else if (Object.hasOwn(this.#moves, key.name)) this.#moves[key.name]?.();
    else return false;
    return true;
  }

  /** In rows of `width` cells, the cursor shown when `isActive`. */
  draw(width: number, isActive: boolean, look: Look): string[] {
    const text = this.text;
    if (!isActive) return breakCells(text, width);
    const before = this.#before.join("");
    const [under = " ", ...after] = this.#after;
    let place = before.length;
    // A row is broken without regard to styles, and the cursor is drawn into the one that has it.
    return breakCells(before + under + after.join(""), width).map((row) => {
      const at = place;
      place -= row.length;
      if (at < 0 || at >= row.length) return row;
      return row.slice(0, at) + look.reverse(under) + row.slice(at + under.length);
    });
  }

  readonly #moves: Readonly<Record<string, () => void>> = {
    left: () => this.#moveBy(-1),
    "ctrl-b": () => this.#moveBy(-1),
    right: () => this.#moveBy(1),
    "ctrl-f": () => this.#moveBy(1),
    home: () => this.#moveTo(0),
    "ctrl-a": () => this.#moveTo(0),
    end: () => this.#moveTo(Number.POSITIVE_INFINITY),
    "ctrl-e": () => this.#moveTo(Number.POSITIVE_INFINITY),
    backspace: () => void this.#before.pop(),
    delete: () => void this.#after.shift(),
    "ctrl-d": () => void this.#after.shift(),
    "ctrl-u": () => void (this.#before = []),
    "ctrl-k": () => void (this.#after = []),
    "ctrl-w": () => this.#dropWord(),
    "alt-backspace": () => this.#dropWord(),
    "alt-b": () => this.#moveTo(this.#wordStart),
    "alt-f": () => this.#moveTo(this.#wordEnd),
  };

  /** Invisible characters are inserted as they would be shown, so that nobody sends an answer that they do not see. */
  #insert(text: string): void {
    const room = questionOtherCharsMax - this.text.length;
    if (room <= 0) return;
    const taken = safeLine(text).slice(0, room).toWellFormed();
    // A mark that combines belongs to the character before it.
    const last = this.#before.pop() ?? "";
    this.#before.push(...graphemesOf(last + taken));
  }

  #moveBy(steps: number): void {
    this.#moveTo(this.#before.length + steps);
  }

  #moveTo(place: number): void {
    const all = [...this.#before, ...this.#after];
    const at = Math.min(Math.max(0, place), all.length);
    this.#before = all.slice(0, at);
    this.#after = all.slice(at);
  }

  #dropWord(): void {
    this.#before = this.#before.slice(0, this.#wordStart);
  }

  get #wordStart(): number {
    return graphemesOf(this.#before.join("").replace(/\S*\s*$/, "")).length;
  }

  get #wordEnd(): number {
    const [word = ""] = /^\s*\S*/.exec(this.#after.join("")) ?? [];
    return this.#before.length + graphemesOf(word).length;
  }
}
