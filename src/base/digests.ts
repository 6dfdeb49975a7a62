/**
 * Random ids and digests from what every thread of the runtime has anyway. `node:crypto` takes 1.6 MB and several milliseconds to
 * load: too much for a server that only runs commands.
 */

/** That many random bytes, two hexadecimal digits for each. */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

/** SHA-256 in hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

/** SHA-256 in base64url: 43 characters for the name of something whose own name may hold anything. */
export function sha256Name(content: string): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("base64url");
}
