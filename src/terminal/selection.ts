import type { Key } from "./keys.ts";

/** Which of a list's rows is chosen, and which of them are in the window. */
export class Selection {
  #index = 0;
  #top = 0;
  #page = 1;

  get index(): number {
    return this.#index;
  }

  /** The rows of the window, `heights` rows each, and the chosen one among them. */
  window(count: number, height: number): { readonly from: number; readonly to: number } {
    this.#page = Math.max(1, height);
    this.#index = Math.min(Math.max(0, this.#index), Math.max(0, count - 1));
    this.#top = Math.min(this.#top, this.#index, Math.max(0, count - height));
    this.#top = Math.max(this.#top, this.#index - height + 1, 0);
    return { from: this.#top, to: Math.min(count, this.#top + height) };
  }

  /** False when the key does not move a selection. */
  press(key: Key, count: number): boolean {
    const step = this.#stepOf(key.name, count);
    if (step === undefined) return false;
    this.#index = Math.min(Math.max(0, this.#index + step), Math.max(0, count - 1));
    return true;
  }

  #stepOf(name: string, count: number): number | undefined {
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
        return this.#page;
      case "home":
      case "g":
        return -count;
      case "end":
      case "G":
        return count;
      default:
        return undefined;
    }
  }
}
