import { type ChildNode, isTag, isText } from "domhandler";

import { addWithAncestors } from "../../dom/element.ts";
import { type HtmlElement, findElement, retainChildren } from "../../dom/parse-html.ts";
import type { ContentBlock } from "./find-blocks.ts";

/** Elements without text that belong to the text around them. */
const wordlessNames = new Set("img picture br hr math wbr".split(" "));
/** Elements that may be the root of the rendered part: they have no meaning of their own. */
const rootNames = new Set(["div", "section", "article", "main", "body"]);

/**
 * Removes from `body` all that is not kept, and returns the smallest neutral element that holds the rest. Images beside
 * kept text stay.
 */
export function keepBlocks(
  body: HtmlElement,
  blocks: readonly ContentBlock[],
  isKept: readonly boolean[],
): HtmlElement {
  const tree: KeptTree = { holders: new Set(), written: new Set(), kept: new Set() };
  const dropped = new Set<ChildNode>();
  for (const [index, { nodes, container }] of blocks.entries()) {
    const isIn = isKept[index] === true;
    for (const node of nodes) (isIn ? tree.kept : dropped).add(node);
    addWithAncestors(container, tree.written);
    if (isIn) addWithAncestors(container, tree.holders);
  }
  prune(body, tree, dropped);
  return rootOf(body, tree);
}

interface KeptTree {
  /** Elements in which something is kept. */
  readonly holders: Set<HtmlElement>;
  /** Elements in which something was written, kept or not. */
  readonly written: Set<HtmlElement>;
  /** The nodes of kept blocks. */
  readonly kept: Set<ChildNode>;
}

function prune(body: HtmlElement, tree: KeptTree, dropped: ReadonlySet<ChildNode>): void {
  const { holders, kept } = tree;
  const waiting = [body];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    retainChildren(element, (child) => {
      if (dropped.has(child)) return false;
      if (!isTag(child) || kept.has(child) || holders.has(child)) return true;
      return isBesideKept(child, tree) && isPicture(child, tree);
    });
    for (const child of element.children) {
      if (isTag(child) && holders.has(child) && !kept.has(child)) waiting.push(child);
    }
  }
}

function isBesideKept({ prev, next }: HtmlElement, { holders, kept }: KeptTree): boolean {
  const isKept = (node: ChildNode | null): boolean =>
    node !== null && (kept.has(node) || (isTag(node) && holders.has(node)));
  const before = prev !== null && isText(prev) && !kept.has(prev) ? prev.prev : prev;
  const after = next !== null && isText(next) && !kept.has(next) ? next.next : next;
  return isKept(before) || isKept(after);
}

/** A picture, rule, line break or formula without words of its own. */
function isPicture(element: HtmlElement, { written }: KeptTree): boolean {
  if (written.has(element)) return false;
  if (wordlessNames.has(element.name)) return true;
  return findElement(element, ({ name }) => name === "img") !== undefined;
}

/** Goes down from `body` as long as all that is kept is in one child. */
function rootOf(body: HtmlElement, tree: KeptTree): HtmlElement {
  let root = body;
  let at: HtmlElement | undefined = body;
  while (at !== undefined) {
    if (rootNames.has(at.name)) root = at;
    at = onlyHolder(at, tree);
  }
  return root;
}

/** The child that holds all that is kept of `element`; undefined when more than one does, or none. */
function onlyHolder(
  { children }: HtmlElement,
  { holders, kept }: KeptTree,
): HtmlElement | undefined {
  const held = children.filter((child) => isTag(child) || kept.has(child));
  const [only] = held;
  if (held.length !== 1 || only === undefined || !isTag(only)) return undefined;
  return holders.has(only) ? only : undefined;
}
