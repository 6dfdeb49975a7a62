import { verifiedTokenMsMax, verifiedTokensMax } from "../../base/limits.ts";
import type { Clock } from "./clock.ts";
import type { Principal } from "./principal.ts";

interface Verified {
  readonly principal: Principal;
  readonly expiresAtWallMs: number;
  readonly untilMs: number;
}

/**
 * Signed tokens that were found good a moment ago, by their digest: a client sends the same one with each request.
 * Only good ones are kept, so strangers cannot fill it.
 */
export class VerifiedTokens {
  readonly #entries = new Map<string, Verified>();

  constructor(private readonly clock: Clock) {}

  get(digest: string): Principal | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    const { wallMs, monotonicMs } = this.#now();
    if (monotonicMs < entry.untilMs && wallMs < entry.expiresAtWallMs) return entry.principal;
    this.#entries.delete(digest);
    return undefined;
  }

  /** @param expiresAtWallMs `exp` of the token in milliseconds */
  add(digest: string, principal: Principal, expiresAtWallMs: number): void {
    const untilMs = this.clock.monotonicMs() + verifiedTokenMsMax;
    this.#entries.delete(digest);
    // A map keeps the order of adding, and all live equally long: the first is the oldest.
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= verifiedTokensMax && oldest !== undefined)
      this.#entries.delete(oldest);
    this.#entries.set(digest, { principal, expiresAtWallMs, untilMs });
  }

  #now(): { wallMs: number; monotonicMs: number } {
    return { wallMs: this.clock.wallMs(), monotonicMs: this.clock.monotonicMs() };
  }
}
