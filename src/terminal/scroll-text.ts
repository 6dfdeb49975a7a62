import type { Key } from "./keys.ts";

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
    const step = this.#stepOf(name);
    if (step === undefined) return false;
    this.#top = Math.max(0, this.#top + step);
    return true;
  }

  #stepOf(name: string): number | undefined {
    switch (name) {
      case "up":
      case "k":
        return -1;
      case "down":
      case "j":
        return 1;
      case "pageup":
        return -this.#page;
      case "pagedown":
      case " ":
        return this.#page;
      case "home":
      case "g":
        return Number.NEGATIVE_INFINITY;
      case "end":
      case "G":
        return Number.MAX_SAFE_INTEGER;
      default:
        return undefined;
    }
  }
}
