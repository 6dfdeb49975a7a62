import {
  type ChildNode,
  type Document,
  Element,
  hasChildren,
  isTag,
  type ParentNode,
} from "domhandler";
import { type Token, parse } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";
import { AppError } from "../../base/errors.ts";

/** Puts `nodes` on the stack of a walk, so that the first of them comes off first. */
export function pushNodes(nodes: readonly ChildNode[], waiting: (ChildNode | string)[]): void {
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node !== undefined) waiting.push(node);
  }
}

/** Elements of one tree: some 150 MB. Nearly all pages that people read have far fewer. */
const treeElementsMax = 250_000;
/** A page of more start tags is read up to there: room is left for the elements that the standard adds. */
export const startTagsMax = 150_000;
/** The allowance of a short page beyond its share. */
const elementsSpare = 20_000;

export type HtmlDocument = Document;
export type HtmlElement = Element;

/**
 * The tree of a page, as the standard's parser builds it with scripting off: the content of `noscript` is part of it,
 * and nothing in it runs. It is at most `treeDepthMax` levels deep.
 *
 * @param elementsWanted a lower bound on its elements, for pages of which less is known to be enough
 * @throws AppError `limit` when the tree grows beyond its bound: the standard opens unclosed formatting elements again
 * in each paragraph, so that 50 kB of them are gigabytes of tree
 */
export function parseHtml(html: string, elementsWanted: number = treeElementsMax): HtmlDocument {
  // No page has an element for every other character, those that the standard adds included.
  const elementsMax = Math.min(treeElementsMax, elementsWanted, elementsSpare + html.length / 2);
  let elements = 0;
  const counting: typeof adapter = {
    ...adapter,
    createElement(name, namespace, attributes: Token.Attribute[]) {
      elements += 1;
      if (elements > elementsMax) {
        throw new AppError(
          "limit",
          `The page's HTML expands to more than ${Math.floor(elementsMax)} elements; it cannot be read.`,
        );
      }
      const attribs: Record<string, string> = Object.create(null);
      const element = new Element(name, attribs, []);
      element.namespace = namespace;
      counting.adoptAttributes(element, attributes);
      return element;
    },
    // The adapter's own keeps namespace and prefix of each attribute, which nobody reads: two objects more an element.
    adoptAttributes({ attribs }, attributes) {
      for (const { name, value } of attributes) attribs[name] ??= value;
    },
  };
  const document = parse(html, { treeAdapter: counting, scriptingEnabled: false });
  flattenDeep(document);
  return document;
}

/** The page up to the tag that would be one too many; the whole where there are not so many. */
export function beginningOf(html: string, tagsMax: number = startTagsMax): string {
  const shortestTag = 3;
  if (html.length <= tagsMax * shortestTag) return html;
  let tags = 0;
  for (const { index } of html.matchAll(/<[a-z]/gi)) {
    tags += 1;
    if (tags > tagsMax) return html.slice(0, index);
  }
  return html;
}

/** Elements only; text, comments and the doctype are left out. */
export function childElements(node: HtmlDocument | HtmlElement): HtmlElement[] {
  return node.children.filter(isTag);
}

/** Levels of a tree. Browsers stop at 512; real pages have some 60, and code that walks trees may take a call for each level. */
export const treeDepthMax = 400;

/** Their text does not belong to the page, so it must not come out of them. */
const silentNames = new Set(["script", "style", "template", "title", "textarea", "noscript"]);

/**
 * Makes a tree at most `treeDepthMax` levels deep: below that, elements are replaced by their content,
 * as in browsers. No text is lost.
 */
function flattenDeep(document: Document): void {
  let level: ParentNode[] = [document];
  for (let depth = 0; depth < treeDepthMax && level.length > 0; depth++) {
    level = levelBelow(level);
  }
  for (const node of level) adopt(node, leavesOf(node));
}

function levelBelow(level: readonly ParentNode[]): ParentNode[] {
  const below: ParentNode[] = [];
  for (const { children } of level) {
    for (const child of children) if (holdsNodes(child)) below.push(child);
  }
  return below;
}

function holdsNodes(node: ChildNode): node is ChildNode & ParentNode {
  return hasChildren(node) && node.children.length > 0;
}

/** All below `node` that holds nothing else, in document order. */
function leavesOf(node: ParentNode): ChildNode[] {
  const leaves: ChildNode[] = [];
  const waiting = node.children.toReversed();
  for (let child = waiting.pop(); child !== undefined; child = waiting.pop()) {
    if (!holdsNodes(child)) leaves.push(child);
    else if (!isTag(child) || !isSilent(child)) pushNodes(child.children, waiting);
  }
  return leaves;
}

function isSilent({ name }: Element): boolean {
  return silentNames.has(name);
}

function adopt(parent: ParentNode, children: ChildNode[]): void {
  for (const [index, child] of children.entries()) {
    child.parent = parent;
    child.prev = children[index - 1] ?? null;
    child.next = children[index + 1] ?? null;
  }
  parent.children = children;
}

/** The next step of the walk after an element was visited. */
export type WalkStep = "into" | "past";

/**
 * Visits the elements below `root` in document order, without recursion: pages nest as deep as they like.
 * `visit` may remove the element that it is given, and whatever comes after it in the document.
 */
export function walkElements(
  root: HtmlDocument | HtmlElement,
  visit: (element: HtmlElement) => WalkStep,
): void {
  const waiting: HtmlElement[] = [];
  pushChildren(root, waiting);
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (visit(element) === "into") pushChildren(element, waiting);
  }
}

function pushChildren({ children }: HtmlDocument | HtmlElement, waiting: HtmlElement[]): void {
  for (let index = children.length - 1; index >= 0; index--) {
    const child = children[index];
    if (child !== undefined && isTag(child)) waiting.push(child);
  }
}

/** The first element below `root`, in document order, that `matches`. */
export function findElement(
  root: HtmlDocument | HtmlElement,
  matches: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  const waiting: HtmlElement[] = [];
  pushChildren(root, waiting);
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (matches(element)) return element;
    pushChildren(element, waiting);
  }
  return undefined;
}

/** All elements below `root`, in document order, that `matches`. */
export function findElements(
  root: HtmlDocument | HtmlElement,
  matches: (element: HtmlElement) => boolean,
): HtmlElement[] {
  const found: HtmlElement[] = [];
  walkElements(root, (element) => {
    if (matches(element)) found.push(element);
    return "into";
  });
  return found;
}

/**
 * Takes those children out of `parent` that `isRetained` says no to. One pass: taking a million nodes out one
 * by one takes as many searches through their siblings.
 */
export function retainChildren(
  parent: ParentNode,
  isRetained: (child: ChildNode) => boolean,
): void {
  const { children } = parent;
  // Most elements lose nothing: they cost no list.
  const first = children.findIndex((child) => !isRetained(child));
  if (first === -1) return;
  const retained = children.slice(0, first);
  const removed = children.slice(first, first + 1);
  for (const child of children.slice(first + 1)) {
    (isRetained(child) ? retained : removed).push(child);
  }
  for (const child of removed) {
    child.parent = null;
    child.prev = null;
    child.next = null;
  }
  for (const [index, child] of retained.entries()) {
    child.prev = retained[index - 1] ?? null;
    child.next = retained[index + 1] ?? null;
  }
  parent.children = retained;
}
