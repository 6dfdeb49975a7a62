const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Whether arrays and objects in the JSON text nest deeper than `depthMax`. Looks at the bytes before they are
 * parsed, without recursion: parsing endures any depth, but printing what was parsed does not (threats.md fact 6).
 */
export function exceedsDepth(json: Uint8Array, depthMax: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === quote) {
      index = stringEnd(json, index + 1);
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1;
    }
  }
  return false;
}

/** The index of the quote that ends the string whose text begins at `start`. */
function stringEnd(json: Uint8Array, start: number): number {
  let from = start;
  for (;;) {
    const end = json.indexOf(quote, from);
    if (end === -1) return json.length;
    if (!isEscaped(json, end, start)) return end;
    from = end + 1;
  }
}

/** A quote is escaped when an odd number of backslashes stands before it. */
function isEscaped(json: Uint8Array, index: number, start: number): boolean {
  let backslashes = 0;
  while (index - backslashes > start && json[index - backslashes - 1] === backslash)
    backslashes += 1;
  return backslashes % 2 === 1;
}
