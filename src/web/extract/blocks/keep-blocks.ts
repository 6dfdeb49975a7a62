import { isTag, isText } from "domhandler";
import type { ChildNode } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import { nodeText } from "../../dom/node-text.ts";
import { retainChildren } from "../../dom/retain-children.ts";
import { findElement } from "../../dom/walk.ts";
import type { Block } from "./block.ts";

/** Elements without text that belong to the text around them. */
const wordlessNames = new Set("img picture br hr math wbr".split(" "));
/** Elements that may be the root of what is rendered: they say nothing of their own. */
const rootNames = new Set(["div", "section", "article", "main", "body"]);

/**
 * Removes from `body` all that is not kept, and returns the smallest neutral element that holds the rest.
 * Images stay where they stand beside kept text.
 */
export function keepBlocks(
  body: HtmlElement,
  blocks: readonly Block[],
  isKept: readonly boolean[],
): HtmlElement {
  const holders = new Set<HtmlElement>();
  const kept = new Set<ChildNode>();
  const dropped = new Set<ChildNode>();
  for (const [index, block] of blocks.entries()) {
    const isIn = isKept[index] === true;
    for (const node of block.nodes) (isIn ? kept : dropped).add(node);
    let at = isIn ? block.container : undefined;
    while (at !== undefined && !holders.has(at)) {
      holders.add(at);
      at = at.parent !== null && isTag(at.parent) ? at.parent : undefined;
    }
  }
  prune(body, holders, kept, dropped);
  return rootOf(body, holders, kept);
}

function prune(
  body: HtmlElement,
  holders: ReadonlySet<HtmlElement>,
  kept: ReadonlySet<ChildNode>,
  dropped: ReadonlySet<ChildNode>,
): void {
  const waiting = [body];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    retainChildren(element, (child) => {
      if (dropped.has(child)) return false;
      if (!isTag(child) || kept.has(child) || holders.has(child)) return true;
      return isBesideKept(child, holders, kept) && isPicture(child);
    });
    for (const child of element.children) {
      if (isTag(child) && holders.has(child) && !kept.has(child)) waiting.push(child);
    }
  }
}

function isBesideKept(
  { prev, next }: HtmlElement,
  holders: ReadonlySet<HtmlElement>,
  kept: ReadonlySet<ChildNode>,
): boolean {
  const isKept = (node: ChildNode | null): boolean =>
    node !== null && (kept.has(node) || (isTag(node) && holders.has(node)));
  const before = prev !== null && isText(prev) && !kept.has(prev) ? prev.prev : prev;
  const after = next !== null && isText(next) && !kept.has(next) ? next.next : next;
  return isKept(before) || isKept(after);
}

/** A picture, rule, line break or formula without words of its own. */
function isPicture(element: HtmlElement): boolean {
  if (wordlessNames.has(element.name)) return true;
  return (
    nodeText(element, 200).trim() === "" &&
    findElement(element, ({ name }) => name === "img") !== undefined
  );
}

/** Goes down from `body` as long as all that is kept is in one child. */
function rootOf(
  body: HtmlElement,
  holders: ReadonlySet<HtmlElement>,
  kept: ReadonlySet<ChildNode>,
): HtmlElement {
  let root = body;
  let at: HtmlElement | undefined = body;
  while (at !== undefined) {
    if (rootNames.has(at.name)) root = at;
    at = onlyHolder(at, holders, kept);
  }
  return root;
}

/** The child that holds all that is kept of `element`; undefined when more than one does, or none. */
function onlyHolder(
  { children }: HtmlElement,
  holders: ReadonlySet<HtmlElement>,
  kept: ReadonlySet<ChildNode>,
): HtmlElement | undefined {
  const held = children.filter((child) => isTag(child) || kept.has(child));
  const [only] = held;
  if (held.length !== 1 || only === undefined || !isTag(only)) return undefined;
  return holders.has(only) ? only : undefined;
}
