import type { Key } from "./keys.ts";
import { stepOfKey } from "./step-of-key.ts";

/** A text that is longer than its window. */
export class ScrollText {
  #top = 0;
  #page = 1;

  /** The lines of the window. */
  window(lines: readonly string[], height: number): readonly string[] {
    this.#page = Math.max(1, height);
    this.#top = Math.min(this.#top, Math.max(0, lines.length - height));
    return lines.slice(this.#top, this.#top + height);
  }

  /** False when the key does not scroll. */
  press({ name }: Key): boolean {
    const step = stepOfKey(name === " " ? "pagedown" : name, this.#page, Number.MAX_SAFE_INTEGER);
    if (step === undefined) return false;
    this.#top = Math.max(0, this.#top + step);
    return true;
  }
}
