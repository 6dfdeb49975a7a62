import { createHash } from "node:crypto";

import { startTimer, type Timer } from "../../base/timer.ts";

/**
 * Looks at a resource again and again, for a server that does not tell of changes and whose entry asks for it (`poll_s`).
 * A look that fails says nothing.
 */
export class ResourcePoll {
  readonly #everyMs: number;
  readonly #read: () => Promise<unknown>;
  readonly #onChange: () => void;
  #timer: Timer | undefined;
  #seen: string | undefined;
  #isStopped = false;

  constructor(everyMs: number, read: () => Promise<unknown>, onChange: () => void) {
    this.#everyMs = everyMs;
    this.#read = read;
    this.#onChange = onChange;
    void this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.stop();
  }

  async #look(): Promise<void> {
    try {
      const text = JSON.stringify(await this.#read()) ?? "";
      const now = createHash("sha256").update(text).digest("hex");
      const hasChanged = this.#seen !== undefined && this.#seen !== now;
      this.#seen = now;
      if (hasChanged && !this.#isStopped) this.#onChange();
    } catch {
      // It cannot be read now; the next look is soon.
    }
    if (!this.#isStopped) this.#timer = startTimer(this.#everyMs, () => void this.#look());
  }
}
