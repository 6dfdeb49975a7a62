import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const cipherName = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** A key of 32 bytes for one use of a secret, which may serve other uses too. @param use names this one */
export function deriveKey(secret: Uint8Array, use: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", use, keyBytes));
}

/**
 * Seals a text so that who carries it can neither read nor change it (AES-256-GCM).
 * @param key of 32 bytes @param purpose is authenticated along: the text opens for the same one only
 * @returns base64url; a nonce makes it another one each time
 */
export function sealText(key: Uint8Array, text: string, purpose: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, key, nonce);
  cipher.setAAD(digestOf(purpose));
  const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString("base64url");
}

/** Undefined for a text that was not sealed by this key for this purpose. Never throws. */
export function openText(key: Uint8Array, sealed: string, purpose: string): string | undefined {
  const bytes = decodeStrictly(sealed);
  if (bytes === undefined) return undefined;
  const decipher = createDecipheriv(cipherName, key, bytes.subarray(0, nonceBytes));
  decipher.setAAD(digestOf(purpose));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The decoder skips what it does not know; two texts for the same bytes would be one too many. */
function decodeStrictly(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  const isCanonical = bytes.toString("base64url") === text;
  return isCanonical && bytes.length >= nonceBytes + tagBytes ? bytes : undefined;
}
