import type { Shares } from "../../../base/shares.ts";

/** The share of one body in the bytes that all bodies may have. */
export class BodyRoom {
  readonly #shares: Shares;
  readonly #sender: string;
  #bytes = 0;
  #isOver = false;

  constructor(shares: Shares, sender: string) {
    this.#shares = shares;
    this.#sender = sender;
  }

  /** False when there is no room, or when the body is not waited for any more. */
  take(bytes: number): boolean {
    if (this.#isOver || !this.#shares.hasRoomFor(this.#sender, bytes)) return false;
    this.#shares.take(this.#sender, bytes);
    this.#bytes += bytes;
    return true;
  }

  /** Gives back what it took; once. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#shares.giveBack(this.#sender, this.#bytes);
  }
}
