/** How far into a document its declaration of an encoding is looked for. */
const declarationChars = 200;

/**
 * The text of an SVG: by its byte order mark, else by the encoding that it declares, else as UTF-8. Undefined for an
 * encoding that browsers do not read either, such as UTF-7, in which markup can be written that looks like text.
 */
export function decodeSvgText(bytes: Uint8Array): string | undefined {
  const decoder = markedDecoder(bytes) ?? declaredDecoder(bytes);
  return decoder?.decode(bytes);
}

function markedDecoder(bytes: Uint8Array): TextDecoder | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  return first === 0xef && second === 0xbb ? new TextDecoder() : undefined;
}

function declaredDecoder(bytes: Uint8Array): TextDecoder | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, declarationChars));
  const declared = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1];
  // What was read as ASCII so far is not UTF-16, whatever it says.
  const label = declared?.replace(/^utf-16.*/i, "utf-8");
  try {
    return new TextDecoder((label ?? "utf-8") as Bun.Encoding);
  } catch {
    return undefined;
  }
}
