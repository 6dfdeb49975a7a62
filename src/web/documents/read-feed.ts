import { isTag } from "domhandler";
import { cleanText } from "../dom/clean-text.ts";
import { parseHtml, findElement } from "../dom/parse-html.ts";
import { escapeText } from "../markdown/inline-text.ts";
import { toMarkdown, toPlainText } from "../markdown/to-markdown.ts";

/** The parts of an XML document, in order. Names are as written, prefix included. */
type XmlPart =
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
  const found: Record<string, string> = Object.create(null);
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

export interface FeedEntry {
  readonly title: string;
  readonly link: string;
  readonly date: string;
  /** HTML or text, as the feed has it. */
  readonly summary: string;
}

export interface Feed {
  readonly title: string;
  readonly entries: readonly FeedEntry[];
}

type Field = "title" | "link" | "date" | "summary";

/** Elements of RSS 1 and 2 and of Atom by meaning. Of several, the first is used, of dates the first as well. */
const fields = new Map<string, Field>([
  ["title", "title"],
  ["link", "link"],
  ["guid", "link"],
  ["pubDate", "date"],
  ["published", "date"],
  ["updated", "date"],
  ["dc:date", "date"],
  ["description", "summary"],
  ["summary", "summary"],
  ["content", "summary"],
  ["content:encoded", "summary"],
]);
const roots = new Set(["rss", "feed", "rdf:RDF"]);

/** The title of the feed is in its root or in the channel below. */
const headDepthMax = 3;

type Draft = Record<Field, string>;

const emptyDraft = (): Draft => ({ title: "", link: "", date: "", summary: "" });

/** The entries of a feed; undefined for other XML. */
export function readFeed(xml: string): Feed | undefined {
  const reader = new FeedReader();
  for (const part of scanXml(xml)) {
    if (part.kind === "text") reader.text(part.text);
    else if (part.kind === "close") reader.close(part.name);
    else if (!reader.open(part.name, part.attributes)) return undefined;
  }
  return reader.hasRoot ? reader.feed : undefined;
}

/** Keeps the part of the current path that it needs: the entry, and the field that is being read. */
class FeedReader {
  readonly #head = emptyDraft();
  readonly #entries: FeedEntry[] = [];
  #entry: Draft | undefined;
  #field: { readonly name: string; readonly field: Field; text: string } | undefined;
  #depth = 0;
  /** Elements open inside the field: Atom has XHTML there. */
  #inner = 0;
  hasRoot = false;

  get feed(): Feed {
    return { title: this.#head.title, entries: this.#entries };
  }

  text(text: string): void {
    if (this.#field !== undefined) this.#field.text += text;
  }

  /** False when this is not a feed. */
  open(name: string, attributes: Readonly<Record<string, string>>): boolean {
    this.#depth++;
    if (this.#depth === 1) this.hasRoot = roots.has(name);
    if (this.#field !== undefined) this.#inner++;
    else if (name === "item" || name === "entry") this.#entry = emptyDraft();
    else if (this.#entry !== undefined || this.#depth <= headDepthMax)
      this.#begin(name, attributes);
    return this.hasRoot;
  }

  close(name: string): void {
    this.#depth--;
    if (this.#field !== undefined && this.#inner > 0) this.#inner--;
    else if (this.#field?.name === name) {
      keep(this.#entry ?? this.#head, this.#field.field, this.#field.text.trim());
      this.#field = undefined;
    } else if (this.#entry !== undefined && (name === "item" || name === "entry")) {
      this.#entries.push(this.#entry);
      this.#entry = undefined;
    }
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    const field = fields.get(name);
    if (field === undefined) return;
    const text = field === "link" && isMainLink(attributes) ? (attributes["href"] ?? "") : "";
    this.#field = { name, field, text };
  }
}

function isMainLink(attributes: Readonly<Record<string, string>>): boolean {
  const { rel } = attributes;
  return rel === undefined || rel === "alternate";
}

/** The longer summary is the whole text; of everything else the first is used. */
function keep(draft: Draft, field: Field, text: string): void {
  const isBetter = field === "summary" ? text.length > draft.summary.length : draft[field] === "";
  if (isBetter) draft[field] = text;
}

/** The text of a feed's entry, which is HTML or plain text, in the requested form. */
export function summaryText(
  summary: string,
  baseUrl: string,
  format: "markdown" | "text" | "html",
): string {
  if (!/[<&]/.test(summary)) return cleanText(summary).trim();
  const html = parseHtml(summary).children.find(isTag);
  const root = html === undefined ? undefined : findElement(html, ({ name }) => name === "body");
  if (root === undefined) return "";
  const extraction = { title: "", language: "", root, baseUrl, textChars: 0 };
  return format === "text" ? toPlainText(extraction) : toMarkdown(extraction);
}

/** The title of an entry on one line. Only text with an end tag is HTML: other text mentions tags. */
export function headingText(
  title: string,
  baseUrl: string,
  format: "markdown" | "text" | "html",
): string {
  const text = title.includes("</") ? summaryText(title, baseUrl, "text") : cleanText(title);
  const line = text.replace(/\s+/g, " ").trim();
  return format === "text" ? line : escapeText(line);
}
