import { type ChildNode, Element, isComment, isTag } from "domhandler";
import { letters } from "../dom/clean-text.ts";
import { isPermalink, lineText } from "../dom/element.ts";
import {
  type HtmlDocument,
  type HtmlElement,
  parseHtml,
  findElement,
  findElements,
} from "../dom/parse-html.ts";
import { removeUnseen } from "./remove-unseen.ts";
import { type StructuredData, readStructuredData } from "./structured-data.ts";
import { type TextMeasure, measureText, noText } from "./text-measure.ts";

/**
 * The facts about a page that the strategies use. Scripts, styles, comments and whatever is not shown have left the
 * document before it is measured; strategies may move or detach nodes, after which measures of their ancestors are
 * those of before.
 */
export interface PageFacts {
  readonly document: HtmlDocument;
  /** The final URL of the page. */
  readonly url: string;
  /** The base of links: `<base>` and `url`. */
  readonly baseUrl: string;
  readonly body: HtmlElement;
  /** The title of the page, without the name of its site; may be empty. */
  readonly title: string;
  readonly structured: StructuredData;
  /** Signs of the software that made the page, as `readPageSigns` reads them. */
  readonly signs: readonly string[];
  /** Measured once, when the page was read; zeros for an element that was made later. */
  readonly measure: (element: HtmlElement) => TextMeasure;
}

/** The part of a page that its reader came for. */
export interface Extraction {
  readonly title: string;
  /** `lang` of the document; empty when it does not say. */
  readonly language: string;
  /** A detached or attached element whose descendants are all content; its links are not made absolute yet. */
  readonly root: HtmlElement;
  /** The base for `href` and `src`: `<base>` and the final URL. */
  readonly baseUrl: string;
  /** Characters of text in `root`, white space collapsed: a page with few of them may need a browser. */
  readonly textChars: number;
}

/** Kinds of page that are more than one text: threads, and lists of things. */
export type PageKind = "forum" | "listing" | "product" | "collection";

/** A possible kind of a page, and the part that would be kept. */
export interface KindCandidate {
  readonly kind: PageKind;
  /** Attached, or detached with copies or moved parts of the document; nothing but content is below it. */
  readonly root: HtmlElement;
  /** From 0 to 1: how sure the structure makes it. */
  readonly confidence: number;
}

/** Parses a page, removes hidden elements, and measures the rest. */
export function readPageFacts(html: string, url: string): PageFacts {
  const document = parseHtml(html);
  const baseUrl = findBaseUrl(document, url);
  const title = findPageTitle(document);
  const structured = readStructuredData(document);
  const body = findBody(document);
  const signs = readPageSigns(document, body);
  removeUnseen(body);
  const measures = measureText(document);
  return {
    document,
    url,
    baseUrl,
    body,
    title,
    structured,
    signs,
    measure: (element) => measures.get(element) ?? noText,
  };
}

function findBody(document: HtmlDocument): HtmlElement {
  // A page of frames has no body.
  return (
    findElement(document, ({ name }) => name === "body") ??
    findElement(document, ({ name }) => name === "html") ??
    new Element("body", {})
  );
}

function findBaseUrl(document: HtmlDocument, url: string): string {
  const base = findElement(
    document,
    ({ name, attribs }) => name === "base" && attribs["href"] !== undefined,
  );
  const href = base?.attribs["href"] ?? "";
  return URL.parse(href, url)?.href ?? url;
}

/** Files and marks in the head, and parts of the body, that are looked at: some pages have thousands. */
const signsMax = 200;
const fileCharsMax = 300;

/**
 * A page's signs of the software that made it, a line each: `generator:` of a meta tag or a comment, `file:` of a style
 * sheet or script in the head, `body:` with its id and classes, `part:` with the id of a child of the body. To be read
 * before hidden elements leave the document.
 */
export function readPageSigns(document: HtmlDocument, body: HtmlElement): string[] {
  const signs = [`body:${body.attribs["id"] ?? ""} ${body.attribs["class"] ?? ""}`];
  const head = findElement(document, ({ name }) => name === "head");
  for (const child of head?.children ?? []) {
    const sign = isTag(child) ? fileOrGenerator(child) : commentSign(child);
    if (sign !== undefined) signs.push(sign);
    if (signs.length >= signsMax) break;
  }
  for (const child of body.children.slice(0, signsMax)) {
    const sign = commentSign(child);
    if (sign !== undefined) signs.push(sign);
  }
  for (const child of body.children.slice(-signsMax)) {
    if (isTag(child) && child.attribs["id"] !== undefined)
      signs.push(`part:${child.attribs["id"]}`);
  }
  return signs;
}

function commentSign(node: ChildNode): string | undefined {
  if (!isComment(node)) return undefined;
  const generator = /^\s*generated by (.{1,100})/i.exec(node.data)?.[1];
  return generator === undefined ? undefined : `generator:${generator.trim().toLowerCase()}`;
}

function fileOrGenerator({ name, attribs }: HtmlElement): string | undefined {
  if (name === "meta" && attribs["name"]?.toLowerCase() === "generator") {
    return `generator:${(attribs["content"] ?? "").toLowerCase()}`;
  }
  const file = name === "link" ? attribs["href"] : name === "script" ? attribs["src"] : undefined;
  return file === undefined ? undefined : `file:${file.slice(0, fileCharsMax)}`;
}

/** Longer ones are not titles. */
const titleCharsMax = 300;

/** Elements that contain the title of a page. */
const speakingNames = new Set(["title", "meta", "h1"]);

/** Separators between a title and the name of its site. */
const separator = /\s+[|\-–—·•»«/:\\]\s+|\s*[|»]\s*/;

/** The title of a page without the name of its site; empty when the page does not say. */
export function findPageTitle(document: HtmlDocument): string {
  const speaking = findElements(document, ({ name }) => speakingNames.has(name));
  const titles = speaking.filter(({ name }) => name === "title");
  const metas = speaking.filter(({ name }) => name === "meta");
  const written = titles[0] === undefined ? "" : lineText(titles[0], titleCharsMax);
  const meta = metaContent(metas, "og:title") || metaContent(metas, "twitter:title");
  const headings = speaking
    .filter(({ name }) => name === "h1")
    .map(headingText)
    .filter((heading) => heading !== "");
  const told = meta || written;
  // A heading that the title repeats is the title as the page shows it.
  const shown = headings.find((heading) => isPartOf(heading, written) || isPartOf(heading, meta));
  if (shown !== undefined) return shown;
  if (told === "") return headings.length === 1 ? (headings[0] ?? "") : "";
  return withoutSiteName(told, metaContent(metas, "og:site_name"));
}

/** Without the signs for links to the heading itself. */
function headingText(heading: HtmlElement): string {
  const text = lineText(heading, titleCharsMax);
  const links = findElements(heading, (element) => element.name === "a");
  const signs = links.filter((link) => isPermalink(link, true)).map((link) => lineText(link));
  const sign = signs.at(-1) ?? "";
  return sign !== "" && text.endsWith(sign) ? text.slice(0, -sign.length).trim() : text;
}

function metaContent(metas: readonly HtmlElement[], property: string): string {
  const meta = metas.find(
    ({ attribs }) => attribs["property"] === property || attribs["name"] === property,
  );
  return meta?.attribs["content"]?.replaceAll(/\s+/g, " ").trim().slice(0, titleCharsMax) ?? "";
}

function isPartOf(heading: string, title: string): boolean {
  return letters(heading) !== "" && letters(title).startsWith(letters(heading));
}

function withoutSiteName(title: string, site: string): string {
  const parts = title.split(separator).filter((part) => part.trim() !== "");
  if (parts.length < 2) return title;
  const last = parts.at(-1) ?? "";
  if (letters(last) === letters(site))
    return title.slice(0, title.lastIndexOf(last)).replace(/[\s|\-–—·•»«/:\\]+$/, "");
  const first = parts[0] ?? "";
  // The name of a site is short, and comes last; a title of one word is not worth the loss.
  return first.split(" ").length >= 3 ? first : title;
}
