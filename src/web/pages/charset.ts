/** Bytes in which a page says its character set: the standard's prescan looks at 1,024, browsers at somewhat more. */
const prescanBytes = 4096;

const byteOrderMarks: readonly [encoding: string, bytes: readonly number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Decodes `bytes` in any encoding: byte order mark, header, `<meta>` or XML declaration, else UTF-8, and
 * windows-1252 where that is impossible (docs/pages.md#what-comes-back; the order is that of the HTML standard).
 * @param stated the `charset` of the Content-Type
 * @param isCut the missing part may be the rest of a character
 */
export function decodeText(bytes: Uint8Array, stated: string | undefined, isCut: boolean): string {
  const marked = markedEncoding(bytes);
  const label = marked ?? knownEncoding(stated) ?? declaredEncoding(bytes);
  if (label !== undefined) {
    const text = decoderFor(label).decode(bytes, { stream: isCut });
    const other = marked === undefined && label === "utf-8" ? declaredEncoding(bytes) : undefined;
    if (other === undefined || other === label || !isMostlyDamaged(text)) return text;
    return decoderFor(other).decode(bytes, { stream: isCut });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** More was lost than came out: servers that say UTF-8 of every file do that to old ones. */
function isMostlyDamaged(text: string): boolean {
  if (!text.includes("\ufffd")) return false;
  const lost = text.match(/\ufffd/g)?.length ?? 0;
  const others = text.match(/[\u0080-\ufffc\u{10000}-\u{10ffff}]/gu)?.length ?? 0;
  return lost > others;
}

/** The encoding that a byte order mark names. */
export function markedEncoding(bytes: Uint8Array): string | undefined {
  const found = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  return found?.[0];
}

/** The `charset` parameter of a Content-Type. */
export function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;]+))/i
    .exec(contentType)
    ?.slice(1)
    .find((value) => value !== undefined);
}

/** Its usual name; undefined for none that is known. */
function knownEncoding(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return decoderFor(label.trim()).encoding;
  } catch {
    return undefined;
  }
}

/** @throws RangeError for an unknown label */
function decoderFor(label: string): TextDecoder {
  // Bun's types list some labels; its decoder takes all of the Encoding standard, but for `replacement`.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constructor itself checks the label
  return new TextDecoder(label as Bun.Encoding);
}

/** The declaration in the first bytes, which are read as ASCII: so a declaration of UTF-16 can only be wrong. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, prescanBytes)).toString("latin1");
  const declared = knownEncoding(xmlEncoding(start) ?? metaCharset(start));
  if (declared === undefined) return undefined;
  if (declared.startsWith("utf-16")) return "utf-8";
  return declared === "x-user-defined" ? "windows-1252" : declared;
}

function xmlEncoding(start: string): string | undefined {
  return /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/i.exec(start)?.[1];
}

/** The standard's prescan: comments and the content of other tags are skipped. */
function metaCharset(start: string): string | undefined {
  const text = start.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, "");
  for (const [, attributes = ""] of text.matchAll(/<meta[\s/]([^>]*)/gi)) {
    const found = charsetOfMeta(readAttributes(attributes));
    if (found !== undefined) return found;
  }
  return undefined;
}

function charsetOfMeta(attributes: ReadonlyMap<string, string>): string | undefined {
  const charset = attributes.get("charset");
  if (charset !== undefined) return charset;
  if (attributes.get("http-equiv")?.toLowerCase() !== "content-type") return undefined;
  return /charset\s*=\s*["']?([^\s"';]+)/i.exec(attributes.get("content") ?? "")?.[1];
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const expression = /([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
  for (const [, name = "", double, single, bare] of text.matchAll(expression)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, double ?? single ?? bare ?? "");
  }
  return found;
}
