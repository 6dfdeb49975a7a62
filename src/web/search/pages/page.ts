import { isTag, isText, type ParentNode } from "domhandler";
import { AppError } from "../../../base/errors.ts";
import type { HtmlDocument, HtmlElement } from "../../dom/parse-html.ts";

/** A parsed page of a search engine. */
export interface EnginePage {
  /** In the order of the document, the first 100. */
  all(selector: string, root?: HtmlElement): HtmlElement[];
  first(selector: string, root?: HtmlElement): HtmlElement | undefined;
  has(selector: string): boolean;
  /** Text of an element, runs of white space as one space; `style` and `script` have none. */
  text(element: HtmlElement | undefined): string;
  /** Whether a text node that is shown matches: for markers that have no class of their own. */
  says(expression: RegExp): boolean;
  /** Texts of the page's inline scripts. */
  scripts(): string[];
  /** The document's `title`. */
  readonly title: string;
}

/** Deeper ones are made to take time: selectors look at ancestors. Captured pages have up to 61 levels. */
const pageDepthMax = 256;
/** More elements are made to take time, too. Captured pages have up to 2,600. */
const pageElementsMax = 60_000;
/** More than any page lists; this bounds the work done for each of them. */
const matchesMax = 100;
/** The part of a text that is searched for a marker: markers are short and alone. */
const markerCharsMax = 500;

/** Elements that are never read as text. */
const silentElements: ReadonlySet<string> = new Set(["script", "style", "template", "svg"]);

/**
 * Parses HTML, with parsers that are loaded when the first page comes.
 * @throws AppError `limit` for a page that unfolds beyond the parser's bound
 */
export async function openPage(html: string): Promise<EnginePage> {
  const [{ parseHtml, childElements }, { selectAll, selectOne }] = await Promise.all([
    import("../../dom/parse-html.ts"),
    import("css-select"),
  ]);
  const document = parseHtml(html, pageElementsMax);
  assertShallow(document, childElements);
  const all = (selector: string, root?: HtmlElement): HtmlElement[] =>
    selectAll(selector, root ?? document)
      .filter(isTag)
      .slice(0, matchesMax);
  const first = (selector: string, root?: HtmlElement): HtmlElement | undefined =>
    selectOne(selector, root ?? document) ?? undefined;
  return {
    all,
    first,
    has: (selector) => first(selector) !== undefined,
    text: (element) => (element === undefined ? "" : textOf(element)),
    says: (expression) =>
      textNodesOf(document).some((text) => expression.test(text.trim().slice(0, markerCharsMax))),
    scripts: () => all("script:not([src])").map((script) => rawTextOf(script)),
    title: textOf(first("head > title, body > title")),
  };
}

type ChildElements = (node: HtmlDocument | HtmlElement) => HtmlElement[];

function assertShallow(document: HtmlDocument, childElements: ChildElements): void {
  let level: readonly (HtmlDocument | HtmlElement)[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > pageDepthMax) {
      throw new AppError("limit", `The page's elements are nested more than ${pageDepthMax} deep.`);
    }
    level = level.flatMap(childElements);
  }
}

function textOf(element: HtmlElement | undefined): string {
  if (element === undefined) return "";
  return textNodesOf(element).join("").replaceAll(/\s+/g, " ").trim();
}

/** Without recursion: a page may be nested deeper than the stack. */
function textNodesOf(root: HtmlDocument | HtmlElement): string[] {
  const texts: string[] = [];
  const open: HtmlElement["children"] = root.children.toReversed();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isText(node)) texts.push(node.data);
    else if ("children" in node && !("name" in node && silentElements.has(node.name))) {
      for (const child of node.children.toReversed()) open.push(child);
    }
  }
  return texts;
}

function rawTextOf(script: HtmlElement): string {
  return script.children.map((node) => (isText(node) ? node.data : "")).join("");
}

/** Whether an element is one of `others`, or inside one of them. */
export function isWithin(element: HtmlElement, others: readonly HtmlElement[]): boolean {
  if (others.length === 0) return false;
  const known: readonly ParentNode[] = others;
  for (let node: typeof element.parent = element; node !== null; node = node.parent) {
    if (known.includes(node)) return true;
  }
  return false;
}

/** An absolute `http:` or `https:` URL as it should be shown, or undefined. */
export function webUrl(written: string | undefined, base?: string): string | undefined {
  if (written === undefined || written.trim() === "") return undefined;
  const text = written.trim();
  const url = base === undefined ? URL.parse(text) : URL.parse(text, base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  // A direct address keeps the spelling that the engine gave it, unless the parser had to mend it.
  return /^https?:\/\/[^\s\\"<>]+$/i.test(text) && url.href.startsWith(text) ? text : url.href;
}

/** Percent escapes decoded once; undefined when they are not well formed. */
export function decodeEscapes(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** `YYYY-MM-DD` of a moment that an API gives as text or as seconds since 1970; undefined when it is not a date. */
export function isoDate(moment: string | number | undefined): string | undefined {
  if (moment === undefined || moment === "") return undefined;
  const date = new Date(typeof moment === "number" ? moment * 1000 : moment);
  // Before the Web there were no pages; a date later than any clock is a mistake.
  const year = date.getUTCFullYear();
  return year >= 1990 && year <= 2100 ? date.toISOString().slice(0, 10) : undefined;
}

/** Longer texts of an API are cut before they are parsed: nothing of that length is shown. */
const markupCharsMax = 20_000;

/** The text of a piece of HTML, as APIs put it in titles and snippets: tags gone, entities decoded once. */
export async function plainText(html: unknown): Promise<string> {
  if (typeof html !== "string") return "";
  const cut = html.slice(0, markupCharsMax);
  if (!/[<&]/.test(cut)) return cut.replaceAll(/\s+/g, " ").trim();
  const page = await openPage(`<body>${cut}`);
  return page.text(page.first("body"));
}
