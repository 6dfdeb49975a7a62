import { AppError } from "./errors.ts";
import { usedStatesMax } from "./limits.ts";

/** Remembers what was used, in this process, until it would have expired anyway. */
export class UsedOnce {
  /** When each expires; the oldest use first. */
  readonly #uses = new Map<string, number>();

  /** False when it was used before. @throws AppError `limit` when more are remembered than there is room for */
  claim(use: string, expiresAtMs: number): boolean {
    if (this.#uses.has(use)) return false;
    this.#forgetExpired();
    if (this.#uses.size >= usedStatesMax) {
      const text = `${usedStatesMax} calls with answers came within ten minutes, the most that are remembered. Try again later.`;
      throw new AppError("limit", text);
    }
    this.#uses.set(use, expiresAtMs);
    return true;
  }

  /** Forgets the expired texts, which expire about in the order in which they came. */
  #forgetExpired(): void {
    const nowMs = Date.now();
    for (const [use, expiresAtMs] of this.#uses) {
      if (expiresAtMs > nowMs) return;
      this.#uses.delete(use);
    }
  }
}
