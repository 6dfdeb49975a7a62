import type { CryptoKey, FlattenedJWSInput, JWTHeaderParameters } from "jose";

import { messageOf, systemCodeOf } from "../../base/errors.ts";
import {
  keySetAgeMsMax,
  keySetCooldownMs,
  keySetOutageMsMax,
  keySetRetryMs,
} from "../../base/limits.ts";
import type { Clock } from "./clock.ts";

/** Finds the key that a token names; rejects with `ERR_JWKS_NO_MATCHING_KEY` of jose when there is none. */
export type KeyFinder = (
  header: JWTHeaderParameters,
  token: FlattenedJWSInput,
) => Promise<CryptoKey>;

/** No keys, or only those of too long ago: nothing can be said of any token. */
export class KeySetUnavailable extends Error {
  override readonly name = "KeySetUnavailable";
}

export interface RemoteKeySetOptions {
  /** Fetches the keys again, in bounded time; rejects when that fails. */
  readonly load: () => Promise<KeyFinder>;
  /** The address, for messages. */
  readonly place: string;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/**
 * The keys of an authorization server: fetched when first needed, renewed when old or when a token names a key
 * that is not among them, kept for a while when the server is down. One fetch at a time, whoever asks.
 */
export class RemoteKeySet {
  #current: { readonly find: KeyFinder; readonly fetchedAtMs: number } | undefined;
  #fetching: Promise<void> | undefined;
  #nextFetchMs = Number.NEGATIVE_INFINITY;
  #isDown = false;

  constructor(private readonly options: RemoteKeySetOptions) {}

  /**
   * The key for a token with this header.
   * @throws KeySetUnavailable, or the error of the `KeyFinder` when the keys do not contain it
   */
  async find(header: JWTHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    if (this.#ageMs() > keySetAgeMsMax) await this.#renewOld();
    const find = this.#usable();
    try {
      return await find(header, token);
    } catch (error) {
      if (systemCodeOf(error) !== "ERR_JWKS_NO_MATCHING_KEY") throw error;
      await this.#renew();
      if (this.#isDown) throw new KeySetUnavailable("the key may be a new one");
      const renewed = this.#usable();
      if (renewed === find) throw error;
      return renewed(header, token);
    }
  }

  #usable(): KeyFinder {
    if (this.#current === undefined || this.#ageMs() > keySetOutageMsMax)
      throw new KeySetUnavailable("no keys");
    return this.#current.find;
  }

  #ageMs(): number {
    if (this.#current === undefined) return Number.POSITIVE_INFINITY;
    return this.options.clock.monotonicMs() - this.#current.fetchedAtMs;
  }

  /** While a server is known to be down, requests do not wait for it if there are keys that are still valid. */
  async #renewOld(): Promise<void> {
    const renewal = this.#renew();
    if (!this.#isDown || this.#ageMs() > keySetOutageMsMax) await renewal;
  }

  /** Fetches the keys, unless that was tried a moment ago. Never rejects. */
  async #renew(): Promise<void> {
    if (this.#fetching === undefined) {
      if (this.options.clock.monotonicMs() < this.#nextFetchMs) return;
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
    }
    await this.#fetching;
  }

  async #fetch(): Promise<void> {
    const { load, clock } = this.options;
    try {
      const find = await load();
      this.#current = { find, fetchedAtMs: clock.monotonicMs() };
      this.#setDown(undefined);
    } catch (error) {
      this.#setDown(error);
    }
    const pauseMs = this.#isDown ? keySetRetryMs : keySetCooldownMs;
    this.#nextFetchMs = clock.monotonicMs() + pauseMs;
  }

  /** Reports once that the keys are not available, and once that they are again. */
  #setDown(cause: unknown): void {
    const { place, warn } = this.options;
    const wasDown = this.#isDown;
    this.#isDown = cause !== undefined;
    if (this.#isDown === wasDown) return;
    if (cause === undefined) return warn(`The signing keys at ${place} are available again.`);
    const meanwhile =
      this.#current === undefined
        ? "Signed tokens get status 503 until then."
        : `The last ones are used for up to ${keySetOutageMsMax / 60_000} minutes.`;
    warn(`Cannot fetch signing keys from ${place}: ${messageOf(cause)}. ${meanwhile}`);
  }
}
