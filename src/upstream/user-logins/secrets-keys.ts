import { sha256Hex } from "../../base/digests.ts";
import { AppError } from "../../base/errors.ts";
import { deriveKey, openText, sealText } from "../../base/sealed-text.ts";
import { secretsKeysMax } from "../../base/upstream-limits.ts";

/** Another layout of the sealed data needs another name, so that old data does not open. */
const use = "scorpiox-code user logins 1";
const keyBytes = 32;

interface SealingKey {
  /** Stands before everything that it has sealed; tells nothing of the key. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The keys that seal logins of principals at rest: the first one seals, all of them open. */
export class SecretsKeys {
  readonly #first: SealingKey;
  readonly #byId: ReadonlyMap<string, SealingKey>;

  /** @param secrets of 32 bytes each, at least one */
  constructor(secrets: readonly [Uint8Array, ...Uint8Array[]]) {
    const [first, ...others] = secrets;
    this.#first = keyOf(first);
    const keys = [this.#first, ...others.map(keyOf)];
    this.#byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** @param purpose the sealed text opens for the same one only */
  seal(text: string, purpose: string): string {
    const { id, bytes } = this.#first;
    return `${id}.${sealText(bytes, text, purpose)}`;
  }

  /** Undefined for a text that none of the keys has sealed for this purpose. Never throws. */
  open(sealed: string, purpose: string): string | undefined {
    const [id = "", text = ""] = sealed.split(".", 2);
    const key = this.#byId.get(id);
    return key === undefined ? undefined : openText(key.bytes, text, purpose);
  }

  /** Whether the key that seals has sealed this text: else it is to be sealed again, so that older keys can go. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.#first.id}.`);
  }
}

function keyOf(secret: Uint8Array): SealingKey {
  const bytes = deriveKey(secret, use);
  return { id: sha256Hex(bytes).slice(0, 12), bytes };
}

/**
 * Reads keys, one a line, in hex or base64; a line that begins with `#` is a comment.
 * @param place names the text in messages
 * @throws AppError `config` for a line that is not a key, or a text without one. No part of the text is in the message.
 */
export function parseSecretsKeys(text: string, place: string): SecretsKeys {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const secrets: Uint8Array[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === "" || line.startsWith("#")) continue;
    const bytes = bytesOf(line);
    if (bytes?.length !== keyBytes || secrets.length >= secretsKeysMax) {
      throw new AppError(
        "config",
        `Line ${index + 1} of ${place} is not a key of ${keyBytes} bytes in base64 or hex, of which there may be ${secretsKeysMax}. Make one with: ${keyCommand}.`,
      );
    }
    secrets.push(bytes);
  }
  const [first, ...others] = secrets;
  if (first !== undefined) return new SecretsKeys([first, ...others]);
  throw new AppError("config", `There is no key in ${place}. Make one with: ${keyCommand}.`);
}

/** Makes a key. */
const keyCommand = "openssl rand -base64 32";

function bytesOf(line: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(line)) return Buffer.from(line, "hex");
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(line) ? Buffer.from(line, "base64") : undefined;
}
