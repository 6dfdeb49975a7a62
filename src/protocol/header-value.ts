const sentinelStart = "=?base64?";
const sentinelEnd = "?=";
/** Text that a header may carry unencoded: visible ASCII, blanks and tabs (RFC 9110 section 5.5). */
const plainText = /^[\t\x20-\x7e]*$/;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The text that a header encodes. `=?base64?…?=` is decoded, strictly in alphabet, padding and UTF-8; the
 * markers are recognised only in this exact form (docs/spec/modern.md#headers). Undefined for values that no client may
 * send.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!plainText.test(value)) return undefined;
  if (!isSentinel(value)) return value;
  const base64 = value.slice(sentinelStart.length, -sentinelEnd.length);
  // The decoder itself would skip blanks.
  if (/\s/.test(base64)) return undefined;
  try {
    return decoder.decode(Uint8Array.fromBase64(base64, { lastChunkHandling: "strict" }));
  } catch {
    return undefined;
  }
}

/** The two markers may not share their question mark. */
function isSentinel(value: string): boolean {
  return (
    value.startsWith(sentinelStart) &&
    value.endsWith(sentinelEnd) &&
    value.length >= sentinelStart.length + sentinelEnd.length
  );
}

/** The form in which a header carries `text`: as it is, or in base64 where that would not arrive as it was sent. */
export function encodeHeaderValue(text: string): string {
  const isSafe = text !== "" && text === text.trim() && plainText.test(text) && !isSentinel(text);
  if (isSafe) return text;
  return `${sentinelStart}${new TextEncoder().encode(text).toBase64()}${sentinelEnd}`;
}
