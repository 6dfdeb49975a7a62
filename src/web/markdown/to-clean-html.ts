import { type ChildNode, isTag, isText } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import type { Extraction } from "../extract/extraction.ts";
import { cleanText } from "./clean-text.ts";
import { attribute } from "./element.ts";
import { isUnreadName } from "./element-kinds.ts";
import { isHidden } from "./hidden.ts";
import { imageSource } from "./image-source.ts";
import { linkTarget, mediaTarget } from "./link-target.ts";
import { Budget } from "./reading.ts";

/** Elements that say something about the text; the rest are left out, and what is in them stays. */
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
  const out: string[] = [];
  const budget = new Budget();
  // Ends of elements wait on the stack as texts: trees may be deeper than the call stack.
  const stack: (ChildNode | string)[] = [root];
  for (let next = stack.pop(); next !== undefined && !budget.isSpent; next = stack.pop()) {
    if (typeof next === "string") out.push(next);
    else if (isText(next)) push(escapeHtml(cleanText(next.data)));
    else if (isTag(next) && !isLeftOut(next, root)) {
      const isKept = kept.has(next.name);
      if (isKept) push(startTag(next, baseUrl));
      if (isKept && !voids.has(next.name)) stack.push(`</${next.name}>`);
      for (const child of next.children.toReversed()) stack.push(child);
    }
  }
  // What the budget cut off is still closed.
  for (const rest of stack.toReversed()) if (typeof rest === "string") out.push(rest);
  return out
    .join("")
    .replace(/\n\s*\n+/g, "\n")
    .trim();

  function push(html: string): void {
    if (budget.take(html.length)) out.push(html);
  }
}

function isLeftOut(element: HtmlElement, root: HtmlElement): boolean {
  return isUnreadName(element.name) || (element !== root && isHidden(element));
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
