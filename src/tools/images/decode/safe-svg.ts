/** A permitted reference: something in the same document, or an inline picture. */
const localReference = String.raw`\s*["']?\s*(?:#|data:image/(?:png|jpe?g|gif|webp)[;,])`;
const foreignUrl = new RegExp(String.raw`url\((?!${localReference})[^)]*(?:\)|$)`, "gi");
const importRule = /@import[^;]*(?:;|$)/gi;
const isLocal = new RegExp(`^${localReference}`, "i");

/** True for a reference that leads nowhere outside the document. */
function isLocalReference(reference: string): boolean {
  return isLocal.test(reference);
}

/**
 * Style without anything that leads out of the document. Its escapes are read before it is judged (`\75rl(` is
 * `url(`); a style that is clean is given back as it was.
 */
export function safeCss(css: string): string {
  const plain = css.replaceAll(
    /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi,
    (_all, code?: string, char?: string) =>
      code === undefined ? (char ?? "") : characterOf(Number.parseInt(code, 16)),
  );
  // The replacement of a rule has a blank, so that the text around it does not become a rule.
  const safe = plain.replaceAll(importRule, " ").replaceAll(foreignUrl, " none ");
  return safe === plain ? css : safe;
}

/** The character of a code; a replacement character for an invalid code. */
function characterOf(code: number): string {
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : "\ufffd";
}

/** Elements that are left out with all they hold: they run something, or fetch it. */
const leftOut: ReadonlySet<string> = new Set([
  "script",
  "handler",
  "listener",
  "foreignobject",
  "include",
  "iframe",
  "audio",
  "video",
]);

/** A name may have any characters but these. */
const tagStart = /<(\/?)([^\s/>"'=<!?]+)/y;
const attribute = /\s+([^\s/>"'=<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEnd = /\s*(\/?)>/y;

/**
 * Rewrites an SVG with only the parts that draw: no declaration, document type, comment, instruction, script or
 * handler, and nothing that leads out of the document. Markup is parsed as XML, not searched for, so that text or
 * an attribute that looks like a tag is not taken for one, and no tag hides.
 * @returns undefined when it defines entities
 * @throws Error that names the fault, if it is not well-formed
 */
export function safeSvg(svg: string): string | undefined {
  const out: string[] = [];
  /** Style sheets may come in pieces, which are judged as one. */
  let style: string | undefined;
  /** Open elements inside one that is left out, itself included. */
  let hidden = 0;
  const addText = (text: string, isRaw: boolean): void => {
    if (hidden > 0) return;
    if (style !== undefined) style += isRaw ? text : decodeReferences(text);
    else out.push(isRaw ? escapeXml(text) : text);
  };
  for (let at = 0; at < svg.length;) {
    const open = svg.indexOf("<", at);
    addText(svg.slice(at, open === -1 ? svg.length : open), false);
    if (open === -1) break;
    if (svg.startsWith("<![CDATA[", open)) {
      at = after(svg, "]]>", open);
      addText(svg.slice(open + 9, at - 3), true);
      continue;
    }
    const skipped = afterUnseen(svg, open);
    if (skipped === "entities") return undefined;
    if (skipped !== undefined) {
      at = skipped;
      continue;
    }
    const tag = readTag(svg, open);
    at = tag.end;
    const change = tag.kind === "close" ? -1 : tag.kind === "open" ? 1 : 0;
    if (hidden > 0 || (tag.kind !== "close" && leftOut.has(localName(tag.name)))) {
      hidden += change;
      continue;
    }
    if (style !== undefined) out.push(escapeXml(safeCss(style)));
    style = tag.kind === "open" && localName(tag.name) === "style" ? "" : undefined;
    out.push(tag.text);
  }
  return out.join("");
}

/** The offset after parts that are left out unread: comments, instructions, a document type without entities. */
function afterUnseen(svg: string, at: number): number | "entities" | undefined {
  if (svg.startsWith("<!--", at)) return after(svg, "-->", at + 4);
  if (svg.startsWith("<?", at)) return after(svg, "?>", at);
  if (!svg.startsWith("<!", at)) return undefined;
  const [start = ""] = /^<!DOCTYPE[^[>]*/.exec(svg.slice(at, at + 2_000)) ?? [];
  if (start === "") throw new Error("it has a declaration that SVG does not have");
  if (svg[at + start.length] !== "[") return after(svg, ">", at);
  const end = after(svg, "]", at);
  const subset = svg.slice(at, end);
  return /<!ENTITY|%/i.test(subset) ? "entities" : after(svg, ">", end);
}

interface Tag {
  readonly kind: "open" | "close" | "empty";
  readonly name: string;
  /** As it is written to the result. */
  readonly text: string;
  readonly end: number;
}

function readTag(svg: string, at: number): Tag {
  tagStart.lastIndex = at;
  const [start, slash, name] = tagStart.exec(svg) ?? [];
  if (start === undefined || name === undefined) throw new Error("it has a tag without a name");
  let end = at + start.length;
  let text = start;
  for (;;) {
    attribute.lastIndex = end;
    const match = attribute.exec(svg);
    if (match === null) break;
    end = attribute.lastIndex;
    const [, attributeName = "", double, single] = match;
    if (!attributeNames.test(attributeName)) continue;
    const value = safeValue(attributeName, double ?? single ?? "");
    if (value !== undefined) text += ` ${attributeName}="${value}"`;
  }
  tagEnd.lastIndex = end;
  const [close, empty] = tagEnd.exec(svg) ?? [];
  if (close === undefined) throw new Error(`its tag <${start.slice(1, 40)}> is incomplete`);
  const kind = slash === "/" ? "close" : empty === "/" ? "empty" : "open";
  return { kind, name, text: `${text}${empty}>`, end: end + close.length };
}

/** Attribute names as XML defines them: readers refuse a document with any other name, or disagree on it. */
const attributeNames = /^[\p{L}_:][\p{L}\p{N}_:.-]*$/u;

/** The value as it is written; undefined for an attribute that is left out. */
function safeValue(name: string, value: string): string | undefined {
  const local = localName(name);
  if (local.startsWith("on") || name === "xml:base") return undefined;
  const plain = decodeReferences(value);
  if (local === "href" || local === "src") {
    return isLocalReference(plain) ? escapeXml(plain) : undefined;
  }
  const safe = safeCss(plain);
  return safe === plain ? value.replaceAll('"', "&quot;") : escapeXml(safe);
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

function after(svg: string, mark: string, from: number): number {
  const at = svg.indexOf(mark, from);
  if (at === -1) throw new Error(`it lacks "${mark}"`);
  return at + mark.length;
}

const references: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

function decodeReferences(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi,
    (all, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
      if (decimal !== undefined) return characterOf(Number(decimal));
      return references[name ?? ""] ?? all;
    },
  );
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
