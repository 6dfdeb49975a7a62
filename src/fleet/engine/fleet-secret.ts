import { AppError } from "../../base/errors.ts";
import { replicaMessageCharsMax, stateKeyEpochMs } from "../../base/limits.ts";

/** Signs what goes through the engine, and tells what a replica of this fleet has signed (`FleetSecret`). */
export interface FleetSeal {
  sign(text: string, purpose: string): string;
  /** The text; undefined for anything that was not signed for this purpose. */
  verified(signed: string, purpose: string): string | undefined;
}

const keyBytes = 32;
const charsMin = 32;
/** The present one, the next, and those that are being replaced. */
const linesMax = 4;

/**
 * The secret that all replicas of a fleet have (`FLEET_KEY`): one line, or several while it is replaced. The first signs and
 * seals, and what any of them has signed or sealed is good.
 */
export class FleetSecret implements FleetSeal {
  readonly #read: () => string | undefined;
  readonly #now: () => number;
  #text = "";
  #masters: readonly Uint8Array[] = [];
  #signing: readonly Uint8Array[] = [];
  #sealing: { readonly epoch: number; readonly keys: readonly Uint8Array[] } | undefined;

  /**
   * @param read the secret as it is now
   * @throws AppError "config" when there is none, or one that can be guessed
   */
  constructor(read: () => string | undefined, now: () => number = Date.now) {
    this.#read = read;
    this.#now = now;
    this.#take(read() ?? "");
  }

  /** Reads it again: a file may have another line by now. A text that cannot be used changes nothing. @throws AppError */
  renew(): void {
    const text = this.#read() ?? "";
    if (text !== this.#text) this.#take(text);
  }

  /**
   * The keys of `requestState`, made of the secret and the time, so that no state can be opened long after it has expired: the one
   * that seals, and those of the epochs before and after for clocks that differ.
   */
  stateKeys(): readonly Uint8Array[] {
    const epoch = Math.floor(this.#now() / stateKeyEpochMs);
    if (this.#sealing?.epoch === epoch) return this.#sealing.keys;
    const epochs = [epoch, epoch - 1, epoch + 1];
    const keys = this.#masters.flatMap((master) =>
      epochs.map((each) => hmac(master, `requestState ${each}`)),
    );
    this.#sealing = { epoch, keys };
    return keys;
  }

  /** The text, signed for `purpose`. */
  sign(text: string, purpose: string): string {
    const [key = new Uint8Array()] = this.#signing;
    return `${tagOf(key, text, purpose)}${text}`;
  }

  /** The text that a replica of this fleet has signed for `purpose`; undefined for anything else. */
  verified(signed: string, purpose: string): string | undefined {
    // No replica writes more, and others may write half a gigabyte.
    if (signed.length > replicaMessageCharsMax + tagChars) return undefined;
    const tag = signed.slice(0, tagChars);
    const text = signed.slice(tagChars);
    const isSigned = this.#signing.some((key) => isSame(tag, tagOf(key, text, purpose)));
    return isSigned ? text : undefined;
  }

  #take(text: string): void {
    const lines = text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
    if (lines.length === 0)
      throw fault("is missing: all replicas of a fleet need the same one", "FLEET_KEY_FILE");
    if (lines.length > linesMax) throw fault(`has more than ${linesMax} lines`);
    if (lines.some((line) => line.length < charsMin))
      throw fault(`has a line of less than ${charsMin} characters, which can be guessed`);
    this.#text = text;
    this.#masters = lines.map((line) => hmac(Buffer.from(line), "scorpiox-code fleet 1"));
    this.#signing = this.#masters.map((master) => hmac(master, "messages"));
    this.#sealing = undefined;
  }
}

function fault(what: string, name = "FLEET_KEY"): AppError {
  return new AppError(
    "config",
    `${name} ${what}: write the output of "openssl rand -base64 32" into a file that only the server can read.`,
  );
}

/** The length of 32 bytes in base64url, without padding. */
const tagChars = 43;

function tagOf(key: Uint8Array, text: string, purpose: string): string {
  const hasher = new Bun.CryptoHasher("sha256", key);
  return hasher.update(`${purpose.length} ${purpose}`).update(text).digest("base64url");
}

function hmac(key: Uint8Array, text: string): Uint8Array {
  const bytes = new Bun.CryptoHasher("sha256", key).update(text).digest();
  return new Uint8Array(bytes.buffer, bytes.byteOffset, keyBytes);
}

/** In a time that tells nothing about where they differ. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
}
