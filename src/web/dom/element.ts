import { type ChildNode, hasChildren, isTag, isText } from "domhandler";

import { cleanText, collapseSpace } from "./clean-text.ts";
import { type HtmlDocument, type HtmlElement, pushNodes, findElement } from "./parse-html.ts";

/** The most nodes in a small element: a look at one costs no more than this, however it is nested. */
const smallNodesMax = 64;
/** White space around a small text. */
const spacesMax = 200;

/** An attribute without unseen characters; empty when it is absent. */
export function attribute(element: HtmlElement, name: string): string {
  const value = element.attribs[name];
  return value === undefined ? "" : cleanText(value);
}

/** The class names, in their own spelling. */
export function classesOf(element: HtmlElement): readonly string[] {
  const value = element.attribs["class"];
  return value === undefined ? [] : value.split(/\s+/).filter((name) => name !== "");
}

export function hasClass(element: HtmlElement, expression: RegExp): boolean {
  const value = element.attribs["class"];
  return value !== undefined && expression.test(value);
}

export function parentOf(element: ChildNode): HtmlElement | undefined {
  return element.parent !== null && isTag(element.parent) ? element.parent : undefined;
}

/** Adds `element` and its ancestors to `elements`, up to the first that is among them already. */
export function addWithAncestors(
  element: HtmlElement | undefined,
  elements: Set<HtmlElement>,
): void {
  for (let at = element; at !== undefined && !elements.has(at); at = parentOf(at)) elements.add(at);
}

/** True when `element` is `holder`, or at most `levelsMax` levels below it. */
export function isWithin(element: HtmlElement, holder: HtmlElement, levelsMax: number): boolean {
  let at: HtmlElement | undefined = element;
  for (let level = 0; at !== undefined && level <= levelsMax; level++) {
    if (at === holder) return true;
    at = parentOf(at);
  }
  return false;
}

const noNames: ReadonlySet<string> = new Set();

/** Finds whether elements are below one of `roots` and not in an element named in `outside`, and remembers the answers. */
export function createInside(
  roots: ReadonlySet<HtmlElement>,
  outside: ReadonlySet<string> = noNames,
): (element: HtmlElement) => boolean {
  const known = new Map<HtmlElement, boolean>();
  return (element) => {
    const path: HtmlElement[] = [];
    let at: HtmlElement | undefined = element;
    let isIn: boolean | undefined;
    while (at !== undefined && isIn === undefined) {
      isIn = roots.has(at) || (outside.has(at.name) ? false : known.get(at));
      path.push(at);
      at = parentOf(at);
    }
    for (const passed of path) known.set(passed, isIn ?? false);
    return isIn ?? false;
  };
}

/** All text below, as it is written; stops after `charsMax` characters, for looks that need no more. */
export function textOf(element: HtmlElement, charsMax = Number.POSITIVE_INFINITY): string {
  let text = "";
  for (const node of descendants(element)) {
    if (isText(node)) text += node.data;
    if (text.length >= charsMax) break;
  }
  return cleanText(text);
}

/** The text of a small element, white space collapsed; undefined when it has more characters or many nodes. */
export function shortText(element: HtmlElement, charsMax: number): string | undefined {
  let text = "";
  let nodes = 0;
  for (const node of descendants(element)) {
    if (++nodes > smallNodesMax) return undefined;
    if (!isText(node)) continue;
    text += node.data;
    if (text.length > charsMax + spacesMax) return undefined;
  }
  const short = cleanText(text).replace(/\s+/g, " ").trim();
  return short.length > charsMax ? undefined : short;
}

/** The element's siblings before it, nearest first, at most `count` of them. */
export function siblingsBefore(element: HtmlElement, count: number): HtmlElement[] {
  return siblings(element, count, (node) => node.prev);
}

/** The element's siblings after it, nearest first, at most `count` of them. */
export function siblingsAfter(element: HtmlElement, count: number): HtmlElement[] {
  return siblings(element, count, (node) => node.next);
}

function siblings(
  element: HtmlElement,
  count: number,
  step: (node: ChildNode) => ChildNode | null,
): HtmlElement[] {
  const found: HtmlElement[] = [];
  let node = step(element);
  for (let steps = 0; node !== null && steps < count * 2 && found.length < count; steps++) {
    if (isTag(node)) found.push(node);
    node = step(node);
  }
  return found;
}

/** Every node below `element` in document order, without using the call stack; `skips` are not entered. */
export function* descendants(
  element: HtmlElement,
  skips: (inner: HtmlElement) => boolean = () => false,
): Generator<ChildNode> {
  const stack: ChildNode[] = element.children.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    if (isTag(node) && !skips(node)) pushNodes(node.children, stack);
  }
}

/** Only child element, when there is no text beside it. */
export function soleChild(element: HtmlElement): HtmlElement | undefined {
  let found: HtmlElement | undefined;
  for (const node of element.children) {
    if (isText(node) && node.data.trim() !== "") return undefined;
    if (!isTag(node)) continue;
    if (found !== undefined) return undefined;
    found = node;
  }
  return found;
}

export function childrenNamed(element: HtmlElement, names: readonly string[]): HtmlElement[] {
  return element.children.filter(isTag).filter(({ name }) => names.includes(name));
}

const invisibleStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:\.0+)?(?:[a-z%]*)\s*(?:!|;|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:!|;|$))/i;
const panelClass = /(?:^|[\s_-])tab-?(?:pane|panel|content|item)?s?(?:[\s_-]|$)|tabpanel|tabbed/i;
/** Visible to screen readers alone: such text repeats the visible content. */
const screenReaderClass =
  /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text|screenreader|assistive-text|cdk-visually-hidden|a11y-hidden|mjx-?assistive[\w-]*)(?:\s|$)/i;

/**
 * True for an element that no reader of the page sees. Content that a click on a tab or a heading would show is treated
 * as seen.
 */
export function isHidden(element: HtmlElement): boolean {
  const { hidden, style } = element.attribs;
  const isOff =
    (hidden !== undefined && hidden !== "until-found") ||
    element.attribs["aria-hidden"]?.toLowerCase() === "true" ||
    (style !== undefined && invisibleStyle.test(style));
  if (isOff) return !isPanel(element);
  return hasClass(element, screenReaderClass) && !/^h[1-6]$/.test(element.name);
}

function isPanel(element: HtmlElement): boolean {
  return element.attribs["role"] === "tabpanel" || hasClass(element, panelClass);
}

const permalinkClass =
  /(?:^|\s)(?:headerlink|header-?anchor|header-?link|hash-?link|heading-?anchor|heading-?link|anchor(?:-?link|js-link|-heading|-?icon)?|permalink|perma-?link|direct-link|self-link|section-link|mark|doc-anchor|octicon-link|deep-link|bookmark-link)(?:\s|$)/i;
const headerLinkClass =
  /(?:^|\s)(?:headerlink|header-?anchor|hash-?link|anchorjs-link|permalink)(?:\s|$)/i;
const permalinkText =
  /^(?:(?:[\s#¶§⚓∞⌘•⁋]|🔗|\ufe0e|\ufe0f|\u200b)*|permalink.*|permanent link.*|link to (?:this|heading|section).*|anchor(?: link.*)?|direct link to .*|copy link.*|section titled .*)$/iu;
/** Signs of generators' buttons and lines, whole texts of an element. */
const furnitureText =
  /^(?:copy(?: code)?(?: to clipboard| page| link| block| snippet| sample| example)?|copied!?|skip to (?:main )?content|edit this page(?: on github)?|was this page helpful\??|(?:expand|collapse)(?: code| all| description| sidebar)?|show (?:more|less|details)|hide details|toggle word wrap|report code(?: block)?|open in playground|run ▶?|try it)$/i;
const furnitureClass =
  /(?:^|\s)(?:mw-editsection|copybtn|copy-button|copy-btn|copy-code(?:-button)?|btn-clipboard|btn-copy|clipboard-button|zeroclipboard-container|edit-this-page|noprint)(?:\s|$)/i;
const furnitureCharsMax = 40;

/** True for a link beside a heading that leads to the heading itself. */
export function isPermalink(link: HtmlElement, isInHeading: boolean): boolean {
  const href = link.attribs["href"] ?? "";
  if (!href.includes("#")) return false;
  const text = shortText(link, 80);
  // A sign of a badly decoded page is two signs.
  if (text !== undefined && text.length <= 2 && hasClass(link, headerLinkClass)) return true;
  if (text === undefined || !permalinkText.test(text)) return false;
  // The sign itself, in an index of signs.
  if (text !== "" && findElement(link, ({ name }) => name === "code") !== undefined) return false;
  return text !== "" || isInHeading || hasClass(link, permalinkClass);
}

/** True for controls that documentation generators and sites put beside the text: buttons, links for editing. */
export function isPageControl(element: HtmlElement): boolean {
  if (hasClass(element, furnitureClass)) return shortText(element, 100) !== undefined;
  const { name } = element;
  if (name === "clipboard-copy") return true;
  if (!["button", "a", "span", "div", "p", "label", "summary"].includes(name)) return false;
  if (element.children.length > 8) return false;
  const text = shortText(element, furnitureCharsMax);
  if (text === undefined || !furnitureText.test(text)) return false;
  return name !== "span" || parentOf(element)?.name !== "p";
}

/** The text below `root` as it is in the document, without recursion; at most about `charsMax` of it. */
export function nodeText(
  root: HtmlDocument | HtmlElement,
  charsMax: number = Number.POSITIVE_INFINITY,
): string {
  let text = "";
  const waiting: ChildNode[] = root.children.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isText(node)) text += node.data;
    else if (hasChildren(node)) pushNodes(node.children, waiting);
    if (text.length >= charsMax) break;
  }
  return text;
}

/** The text of `nodeText`, on one line. */
export function lineText(root: HtmlDocument | HtmlElement, charsMax?: number): string {
  return collapseSpace(nodeText(root, charsMax));
}
