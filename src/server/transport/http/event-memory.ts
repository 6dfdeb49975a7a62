import { resumableCharsTotalMax } from "../../../base/limits.ts";

/** Something that keeps events and can forget its oldest. */
interface Forgetful {
  dropOldest(): void;
}

/**
 * The room that the events of all sessions share. When it is full, the session that has been silent for longest
 * loses its oldest events first.
 */
export class EventMemory {
  readonly #charsMax: number;
  /** Stores that hold events, the one that was silent for longest first. */
  readonly #holders = new Set<Forgetful>();
  #chars = 0;

  constructor(charsMax: number = resumableCharsTotalMax) {
    this.#charsMax = charsMax;
  }

  /** `holder` has kept a new event of this many characters. */
  add(holder: Forgetful, chars: number): void {
    this.#holders.delete(holder);
    this.#holders.add(holder);
    this.#chars += chars;
    while (this.#chars > this.#charsMax) {
      const [silent] = this.#holders;
      if (silent === undefined) return;
      silent.dropOldest();
    }
  }

  /** `holder` has forgotten an event. */
  remove(holder: Forgetful, chars: number, isEmpty: boolean): void {
    this.#chars -= chars;
    if (isEmpty) this.#holders.delete(holder);
  }
}
