import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import type { CryptoKey, FlattenedJWSInput, JWTHeaderParameters } from "jose";

import { decodeResponse, undecoded } from "../../base/decode-response.ts";
import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import {
  keySetAgeMsMax,
  keySetBytesMax,
  keySetCooldownMs,
  keySetOutageMsMax,
  keySetRetryMs,
} from "../../base/limits.ts";
import type { Clock } from "./clock.ts";
import { isLoopbackHost } from "./listen-policy.ts";

/**
 * Parses the value of `--jwks`: `https:` anywhere, `http:` on this machine only, because who can change the keys
 * on the way can make tokens, or `file:` for keys that are brought here by other means.
 * @throws AppError "usage"
 */
export function parseKeySetUrl(text: string): URL {
  const url = URL.parse(text);
  const fail = (what: string): never => {
    throw new AppError("usage", `The address of the key set ${what}.`);
  };
  if (url === null) return fail(`"${text}" is not a URL: write https://… or file:///…`);
  if (url.username !== "" || url.password !== "")
    return fail("holds a user name or password: remove it, keys are public");
  switch (url.protocol) {
    case "https:":
      return url;
    case "http:":
      return isLoopbackHost(url.hostname) ? url : fail(`"${text}" is not encrypted: use https`);
    case "file:":
      return url.host === "" ? url : fail(`"${text}" names another machine: write file:///…`);
    default:
      return fail(`"${text}" has an unsupported scheme: use https`);
  }
}

/** The address without its query, for messages. */
export function describeKeySetUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

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
 * that is not among them, kept for a while when the server is down. One fetch at a time, for all who ask.
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

/**
 * Gets the JSON of a key set, within `keySetBytesMax` and `timeoutMs`, and follows no redirect: the keys come from
 * the address that the operator wrote.
 * @param url of `parseKeySetUrl`
 * @throws Error whose message completes "Cannot fetch signing keys from …: "
 */
export async function fetchKeySet(url: URL, timeoutMs: number): Promise<unknown> {
  const bytes = await readBytes(url, timeoutMs);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Error("the document is not JSON");
  }
}

async function readBytes(url: URL, timeoutMs: number): Promise<Uint8Array> {
  try {
    return url.protocol === "file:" ? await readFile(url) : await download(url, timeoutMs);
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError")
      throw new Error(`no answer within ${timeoutMs} ms`, { cause: error });
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    throw new Error(`it cannot be reached (${code})`, { cause: error });
  }
}

/** Only regular files: opening a FIFO would wait for its writer. */
async function readFile(url: URL): Promise<Uint8Array> {
  const path = fileURLToPath(url);
  const stats = await stat(path);
  if (!stats.isFile()) throw new Error("it is not a regular file");
  if (stats.size > keySetBytesMax) throw new Error(tooLarge);
  return Bun.file(path).bytes();
}

const tooLarge = `it is larger than ${keySetBytesMax} bytes`;

async function download(url: URL, timeoutMs: number): Promise<Uint8Array> {
  const init: RequestInit = {
    redirect: "manual",
    // To this machine, in the clear: not by way of a proxy that the environment names.
    ...(url.protocol === "http:" && { proxy: false as const }),
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: "application/jwk-set+json, application/json" },
  };
  return readBody(decodeResponse(await fetch(url, undecoded(init))));
}

async function readBody(response: Response): Promise<Uint8Array> {
  if (response.status !== 200) {
    await response.body?.cancel();
    const hint =
      response.status >= 300 && response.status < 400 ? "; redirects are not followed" : "";
    throw new Error(`the answer has status ${response.status}${hint}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body, decompressed or not.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > keySetBytesMax) throw new Error(tooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
