/** The beginning of every token that scorpiox-code makes: scanners for secrets find them by it. */
export const tokenPrefix = "scx_";

/** Whether the text may name the holder of a token: it is part of ids and logs. */
export function isTokenLabel(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}

/** Random bytes of a token: nobody guesses 256 bits, so a digest without salt can be kept. */
const tokenBytes = 32;

/** A new token: `scx_` and 43 characters of base64url. It is shown to its holder and kept nowhere. */
export function makeToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(tokenBytes));
  return tokenPrefix + bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** SHA-256 of a token in base64: it is kept and looked up in place of the token. */
export function tokenDigest(token: string): string {
  return Bun.SHA256.hash(token, "base64");
}
