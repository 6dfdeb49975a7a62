import { type ChildNode, hasChildren, isTag, isText } from "domhandler";

import { collapseSpace } from "../../dom/clean-text.ts";
import { addWithAncestors, lineText } from "../../dom/element.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";
import { countStops, type TextMeasure } from "../text-measure.ts";

/**
 * A run of text that a browser shows as one block: a paragraph, a heading, a cell, an item. Blocks do not
 * overlap, and together they hold all text of the page, in its order.
 */
export interface ContentBlock {
  /** Neighbours in the tree, all children of `container`: text and inline elements, or one `pre`. */
  readonly nodes: readonly ChildNode[];
  /** The element whose box the text is in. */
  readonly container: HtmlElement;
  /** On one line; the beginning only of a very long one. */
  readonly text: string;
  /** Characters of the whole block, white space collapsed. */
  readonly chars: number;
  readonly linkChars: number;
  readonly stops: number;
}

/** Enough characters to judge a block's text. */
const textCharsMax = 2_000;

/** Elements that begin a line of their own. `pre` is one block, whatever is in it. */
const blockNames = new Set(
  (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset " +
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav noscript ol " +
    "optgroup option p pre search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

function isBlockElement({ name }: HtmlElement): boolean {
  return blockNames.has(name);
}

/** Cuts `body` into blocks, in document order. */
export function findBlocks(
  body: HtmlElement,
  measure: (element: HtmlElement) => TextMeasure,
): ContentBlock[] {
  const holders = findHolders(body);
  const blocks: ContentBlock[] = [];
  const path: { element: HtmlElement; next: number }[] = [{ element: body, next: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const run: ChildNode[] = [];
    const { children } = top.element;
    let inner: HtmlElement | undefined;
    while (inner === undefined && top.next < children.length) {
      const child = children[top.next++];
      if (child === undefined) continue;
      if (isTag(child) && holders.has(child)) inner = child;
      else run.push(child);
    }
    const block = blockOf(run, top.element, measure);
    if (block !== undefined) blocks.push(block);
    if (inner !== undefined) path.push({ element: inner, next: 0 });
    else path.pop();
  }
  return blocks;
}

/** The elements that are blocks or hold blocks: a run of text ends where one of them begins. */
function findHolders(body: HtmlElement): Set<HtmlElement> {
  const holders = new Set<HtmlElement>();
  const waiting: HtmlElement[] = [body];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (isBlockElement(element)) addWithAncestors(element, holders);
    if (element.name === "pre") continue;
    for (const child of element.children) if (isTag(child)) waiting.push(child);
  }
  return holders;
}

function blockOf(
  nodes: readonly ChildNode[],
  container: HtmlElement,
  measure: (element: HtmlElement) => TextMeasure,
): ContentBlock | undefined {
  let text = "";
  let chars = 0;
  let linkChars = 0;
  let stops = 0;
  for (const node of nodes) {
    if (isText(node)) {
      const line = collapseSpace(node.data);
      chars += line.length;
      stops += countStops(line);
      if (text.length < textCharsMax) text += node.data;
    } else if (isTag(node)) {
      const own = measure(node);
      chars += own.chars;
      linkChars += own.linkChars;
      stops += own.stops;
      if (text.length < textCharsMax && hasChildren(node)) {
        text += spaced(node);
      }
    }
  }
  const line = collapseSpace(text.slice(0, textCharsMax));
  if (line === "") return undefined;
  return { nodes, container, text: line, chars: Math.max(chars, 1), linkChars, stops };
}

function spaced(element: HtmlElement): string {
  const text = lineText(element, textCharsMax);
  return element.name === "br" ? " " : text === "" ? "" : edgeSpaced(element, text);
}

/** Keeps the white space at the edges of an inline element, which separates words. */
function edgeSpaced(element: HtmlElement, text: string): string {
  const first = element.children[0];
  const last = element.children.at(-1);
  const before = first !== undefined && isText(first) && /^\s/.test(first.data) ? " " : "";
  const after = last !== undefined && isText(last) && /\s$/.test(last.data) ? " " : "";
  return `${before}${text}${after}`;
}
