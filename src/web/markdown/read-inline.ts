import { type ChildNode, isTag, isText } from "domhandler";

import { cleanText } from "../dom/clean-text.ts";
import {
  attribute,
  isPageControl,
  isHidden,
  isPermalink,
  shortText,
  siblingsBefore,
  soleChild,
  textOf,
} from "../dom/element.ts";
import { findElement, type HtmlElement } from "../dom/parse-html.ts";
import {
  byName,
  isBlockName,
  isUnreadName,
  elementDepthMax,
  isBackReference,
  type Place,
  type Conversion,
} from "./conversion.ts";
import { escapeBrackets, escapeText, inlineCode, InlineText, type Mark } from "./inline-text.ts";
import { formulaOf, isFormulaResidue } from "./math.ts";
import { linkTarget, readImage, readMedia } from "./read-media.ts";

/** Two spaces and a line end are a line break in Markdown. */
const lineBreak = "  \n";

/** Running text as one piece of inline Markdown, or as plain text. */
export function readInline(
  nodes: readonly ChildNode[],
  place: Place,
  conversion: Conversion,
): string {
  const out = new InlineText();
  appendNodes(nodes, out, place, conversion);
  return out.toString();
}

function appendNodes(
  nodes: readonly ChildNode[],
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  const inner = { ...place, depth: place.depth + 1 };
  for (const node of nodes) {
    if (conversion.budget.isSpent) return;
    if (isText(node)) appendText(node.data, out, conversion);
    else if (isTag(node)) appendElement(node, out, inner, conversion);
  }
}

function appendText(data: string, out: InlineText, conversion: Conversion): void {
  const text = cleanText(data).replace(/[\s\u0085]+/g, " ");
  if (!conversion.budget.take(text.length)) return;
  out.add(conversion.style === "text" ? text : escapeText(text));
}

function appendElement(
  element: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  if (place.depth > elementDepthMax) return appendText(textOf(element), out, conversion);
  const formula = formulaOf(element);
  if (formula !== undefined) return appendFormula(formula.tex, out, conversion);
  if (
    isUnreadName(element.name) ||
    isHidden(element) ||
    isFormulaResidue(element) ||
    isPageControl(element)
  )
    return;
  const append = appenders.get(element.name) ?? appendOther;
  append(element, out, place, conversion);
}

type Appender = (
  element: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
) => void;

/** Elements whose names say how to read them. */
const appenders = byName<Appender>([
  ["br", appendBreak],
  ["b strong", betweenMarks("**", "isStrong")],
  ["em i cite dfn var", betweenMarks("*", "isEmphasis")],
  ["del s strike", betweenMarks("~~", "isStruck")],
  ["code tt samp kbd", appendCode],
  ["a", appendLink],
  ["img", appendImage],
  ["iframe video audio embed object", appendMedia],
  ["sub sup", appendRaised],
  ["q", appendQuotation],
  ["rt", appendRuby],
  ["input", appendNothing],
  ["noscript", appendNoscript],
]);

/** Puts its text between marks, unless it is between the same marks already. */
function betweenMarks(mark: Mark, flag: "isStrong" | "isEmphasis" | "isStruck"): Appender {
  return ({ children }, out, place, conversion) => {
    if (place[flag]) return appendNodes(children, out, place, conversion);
    const text = conversion.readInline(children, { ...place, [flag]: true }, conversion);
    out.addMarked(conversion.style === "text" ? "" : mark, text);
  };
}

function appendImage(
  element: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  out.add(readImage(element, place, conversion));
}

function appendMedia(
  element: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  out.add(readMedia(element, place, conversion));
}

function appendQuotation(
  { children }: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  out.add("“");
  appendNodes(children, out, place, conversion);
  out.add("”");
}

function appendRuby(
  { children }: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  const text = conversion.readInline(children, place, conversion).trim();
  if (text !== "") out.add(`(${text})`);
}

function appendNothing(): void {}

function appendNoscript(
  element: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  if (!hasPictureBefore(element)) appendNodes(element.children, out, place, conversion);
}

/** Blocks within a line are set apart by spaces, and so are elements that look like buttons. */
function appendOther(
  element: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  const isApart =
    isBlockName(element.name) || element.name === "label" || element.name === "button";
  if (!isApart) return appendNodes(element.children, out, place, conversion);
  out.add(" ");
  appendNodes(element.children, out, place, conversion);
  out.add(" ");
}

function appendBreak(_: HtmlElement, out: InlineText, place: Place, conversion: Conversion): void {
  if (place.isLine) out.add(" ");
  else out.addBreak(conversion.style === "text" ? "\n" : lineBreak);
}

function appendFormula(tex: string, out: InlineText, conversion: Conversion): void {
  if (conversion.budget.take(tex.length)) out.add(conversion.style === "text" ? tex : `$${tex}$`);
}

function appendCode(
  element: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  const link = soleChild(element);
  if (link?.name === "a" && !place.isLink && attribute(link, "href") !== "") {
    return appendLinked(link, inlineCode(textOf(link), conversion.style), out, conversion);
  }
  const text = textOf(element);
  if (!conversion.budget.take(text.length)) return;
  if (/^\s/.test(text)) out.add(" ");
  out.add(inlineCode(text, conversion.style));
  if (/\s$/.test(text)) out.add(" ");
}

function appendLink(
  link: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  const label = conversion.survey.footnotes.references.get(link);
  if (label !== undefined)
    return out.add(conversion.style === "text" ? `[${label}]` : `[^${label}]`);
  if (isBackReference(link) || isPermalink(link, place.isLine)) return;
  const text = conversion.readInline(
    link.children,
    { ...place, isLink: true, isLine: true },
    conversion,
  );
  const isOwnAnchor = place.isLine && (link.attribs["href"] ?? "").startsWith("#") && !place.isCell;
  if (place.isLink || isOwnAnchor) return out.add(text);
  if (/^\s/.test(text)) out.add(" ");
  appendLinked(link, text.trim(), out, conversion);
  if (/\s$/.test(text)) out.add(" ");
}

/** A link without a text or without a target is not a link. */
function appendLinked(
  link: HtmlElement,
  text: string,
  out: InlineText,
  conversion: Conversion,
): void {
  const target = linkTarget(attribute(link, "href"), conversion.baseUrl);
  if (text === "") return;
  if (target === undefined || conversion.style === "text") return out.add(text);
  if (!conversion.budget.take(target.length)) return;
  if (isItsTarget(text, target)) return out.add(`<${target}>`);
  out.add(`[${/^!\[[^\]]*\]\([^)]*\)$/.test(text) ? text : escapeBrackets(text)}](${target})`);
}

/** True for an address that is its own text. */
function isItsTarget(text: string, target: string): boolean {
  const plain = text.replace(/\\(?=[!-/:-@[-`{-~])/g, "");
  return /^https?:/.test(target) && (plain === target || `${plain}/` === target);
}

function appendRaised(
  element: HtmlElement,
  out: InlineText,
  place: Place,
  conversion: Conversion,
): void {
  const { name, children } = element;
  const text = conversion.readInline(children, place, conversion).trim();
  const isPlain =
    conversion.style === "text" ||
    /^(?:st|nd|rd|th|er|e|ème|[™®℠©*†‡]|\[.*)$/iu.test(text) ||
    text.includes("](") ||
    text === "";
  out.add(isPlain ? text : `<${name}>${text}</${name}>`);
}

/** Pages repeat a lazy picture for readers without scripts. */
function hasPictureBefore(noscript: HtmlElement): boolean {
  if (shortText(noscript, 0) === undefined || !holdsPicture(noscript)) return false;
  const [before] = siblingsBefore(noscript, 1);
  return before !== undefined && holdsPicture(before);
}

function holdsPicture(element: HtmlElement): boolean {
  const isPicture = ({ name }: HtmlElement): boolean => name === "img" || name === "iframe";
  return (
    isPicture(element) ||
    (shortText(element, 0) !== undefined && findElement(element, isPicture) !== undefined)
  );
}
