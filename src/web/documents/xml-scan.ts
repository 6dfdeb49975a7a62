/** The parts of an XML document, in order. Names are as written, prefix included. */
export type XmlPart =
  | {
      readonly kind: "open";
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly kind: "close"; readonly name: string }
  | { readonly kind: "text"; readonly text: string };

/** Longer tags are not treated as tags. */
const tagCharsMax = 10_000;
const attributePair = /(?<![^\s"'/])([^\s="'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Reads XML without building it: no document types, no entities but the five, so nothing in it can grow. */
export function* scanXml(xml: string): Generator<XmlPart> {
  let position = 0;
  while (position < xml.length) {
    const start = xml.indexOf("<", position);
    const textEnd = start === -1 ? xml.length : start;
    if (textEnd > position)
      yield { kind: "text", text: decodeEntities(xml.slice(position, textEnd)) };
    if (start === -1) return;
    if (xml.startsWith("<![CDATA[", start)) {
      position = endOf(xml, "]]>", start + 9);
      yield { kind: "text", text: xml.slice(start + 9, position).replace(/\]\]>$/, "") };
    } else if (xml.startsWith("<!--", start)) position = endOf(xml, "-->", start + 4);
    else if (/[?!]/.test(xml.charAt(start + 1))) position = endOf(xml, ">", start);
    else {
      const end = tagEnd(xml, start);
      if (end === undefined) yield { kind: "text", text: "<" };
      else yield* readTag(xml.slice(start + 1, end));
      position = (end ?? start) + 1;
    }
  }
}

function endOf(xml: string, sign: string, from: number): number {
  const found = xml.indexOf(sign, from);
  return found === -1 ? xml.length : found + sign.length;
}

/** Where the tag that begins at `start` ends; undefined when none does. */
function tagEnd(xml: string, start: number): number | undefined {
  if (!/[^\s<>"'=]/.test(xml.charAt(start + 1))) return undefined;
  for (let at = start + 1; at < Math.min(xml.length, start + tagCharsMax); at++) {
    const sign = xml.charAt(at);
    if (sign === ">") return at;
    if (sign === "<") return undefined;
    if (sign !== '"' && sign !== "'") continue;
    const end = xml.indexOf(sign, at + 1);
    if (end === -1) return undefined;
    at = end;
  }
  return undefined;
}

function* readTag(tag: string): Generator<XmlPart> {
  const name = /^\/?([^\s/]+)/.exec(tag)?.[1];
  if (name === undefined) return;
  if (tag.startsWith("/")) return yield { kind: "close", name };
  yield { kind: "open", name, attributes: readAttributes(tag.slice(name.length)) };
  if (tag.endsWith("/")) yield { kind: "close", name };
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  const found = Object.create(null) as Record<string, string>;
  for (const [, name = "", double, single] of text.matchAll(attributePair)) {
    found[name] = decodeEntities(double ?? single ?? "");
  }
  return found;
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return named[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "";
    },
  );
}
