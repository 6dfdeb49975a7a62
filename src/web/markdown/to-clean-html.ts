import { type ChildNode, isTag, isText } from "domhandler";

import { cleanText } from "../dom/clean-text.ts";
import { attribute, isPageControl, isHidden, isPermalink } from "../dom/element.ts";
import type { HtmlElement } from "../dom/parse-html.ts";
import type { Extraction } from "../extract/page-facts.ts";
import { isBlockName, isUnreadName, Budget } from "./conversion.ts";
import { imageSource, linkTarget, mediaTarget } from "./read-media.ts";

/** Elements with a meaning for the text; the others are left out, and their content stays. */
const kept = new Set(
  (
    "a abbr article aside b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 " +
    "h4 h5 h6 header hr i iframe img ins kbd li main mark math menu nav ol p picture pre q rp rt ruby s samp section small " +
    "span strong sub summary sup table tbody td tfoot th thead time tr u ul var video audio"
  ).split(" "),
);
const voids = new Set(["br", "hr", "img"]);
/** Attributes whose values are numbers, words or texts, and do nothing. */
const plainAttributes = [
  "id",
  "lang",
  "dir",
  "title",
  "alt",
  "colspan",
  "rowspan",
  "scope",
  "start",
  "datetime",
  "open",
];
/** Where the language of code is written. */
const codeAttributes = ["class", "data-lang", "data-language"];

/**
 * The extracted part of a page as HTML that does nothing: no scripts, styles, event handlers or forms, nothing hidden,
 * every address absolute.
 */
export function toCleanHtml({ root, baseUrl }: Extraction): string {
  const writer = new HtmlWriter(baseUrl);
  // Ends of elements wait on the stack as names: trees may be deeper than the call stack.
  const stack: (ChildNode | string)[] = [root];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    // Elements that the budget cuts off are still closed.
    if (typeof next === "string") writer.end(next);
    else if (writer.isFull) continue;
    else if (isText(next)) writer.text(next.data);
    else if (isTag(next) && !isLeftOut(next, root)) {
      if (kept.has(next.name)) writer.start(next);
      if (kept.has(next.name) && !voids.has(next.name)) stack.push(next.name);
      for (const child of next.children.toReversed()) stack.push(child);
    }
  }
  return writer.toString();
}

/** White space collapses, and a line ends after each block, so that pages can be cut there; code is left as it is. */
class HtmlWriter {
  readonly #baseUrl: string;
  readonly #out: string[] = [];
  readonly #budget = new Budget();
  #preDepth = 0;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  get isFull(): boolean {
    return this.#budget.isSpent;
  }

  start(element: HtmlElement): void {
    this.#push(startTag(element, this.#baseUrl));
    if (element.name === "pre") this.#preDepth++;
  }

  text(data: string): void {
    const text = cleanText(data);
    this.#push(escapeHtml(this.#preDepth > 0 ? text : text.replace(/\s+/g, " ")));
  }

  end(name: string): void {
    if (name === "pre") this.#preDepth--;
    const isLineEnd = this.#preDepth === 0 && isBlockName(name);
    this.#out.push(isLineEnd ? `</${name}>\n` : `</${name}>`);
  }

  toString(): string {
    return this.#out.join("").trim();
  }

  #push(html: string): void {
    if (this.#budget.take(html.length)) this.#out.push(html);
  }
}

function isLeftOut(element: HtmlElement, root: HtmlElement): boolean {
  if (isUnreadName(element.name)) return true;
  if (element === root) return false;
  return (
    isHidden(element) ||
    isPageControl(element) ||
    (element.name === "a" && isPermalink(element, true))
  );
}

function startTag(element: HtmlElement, baseUrl: string): string {
  const { name } = element;
  const isCode = name === "pre" || name === "code";
  const names = isCode ? [...plainAttributes, ...codeAttributes] : plainAttributes;
  const attributes = names
    .filter((key) => element.attribs[key] !== undefined)
    .map((key): [string, string] => [key, attribute(element, key)]);
  const [key, target] = addressOf(element, baseUrl);
  if (target !== undefined) attributes.push([key, target]);
  return `<${name}${attributes.map(([key, value]) => ` ${key}="${escapeHtml(value)}"`).join("")}>`;
}

function addressOf(
  element: HtmlElement,
  baseUrl: string,
): [key: string, target: string | undefined] {
  switch (element.name) {
    case "a":
      return ["href", linkTarget(attribute(element, "href"), baseUrl)];
    case "img":
      return ["src", imageSource(element, baseUrl)];
    case "iframe":
    case "video":
    case "audio":
      return ["src", mediaTarget(attribute(element, "src"), baseUrl)];
    default:
      return ["", undefined];
  }
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
