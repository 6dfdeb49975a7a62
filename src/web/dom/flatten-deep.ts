import { hasChildren, isTag } from "domhandler";
import type { ChildNode, Document, Element, ParentNode } from "domhandler";

import { pushNodes } from "./push-nodes.ts";

/** Levels of a tree. Browsers stop at 512; real pages have some 60, and what walks trees may take a call for each level. */
export const treeDepthMax = 400;

/** Their text is none of the page's, so that it must not come out of them. */
const silentNames = new Set(["script", "style", "template", "title", "textarea", "noscript"]);

/**
 * Makes a tree at most `treeDepthMax` levels deep: below that, elements give way to what they hold,
 * as in browsers. No text is lost.
 */
export function flattenDeep(document: Document): void {
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
