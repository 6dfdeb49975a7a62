import { scanXml } from "./xml-scan.ts";

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
const fields: Readonly<Record<string, Field>> = {
  title: "title",
  link: "link",
  guid: "link",
  pubDate: "date",
  published: "date",
  updated: "date",
  "dc:date": "date",
  description: "summary",
  summary: "summary",
  content: "summary",
  "content:encoded": "summary",
};
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

/** Keeps what it needs of the way down to where it is: the entry, and the field that is being read. */
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
    const field = fields[name];
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
