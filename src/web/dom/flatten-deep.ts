import { hasChildren, isTag } from "domhandler";
import type { ChildNode, Document, Element, ParentNode } from "domhandler";

/** Levels of a tree. Browsers stop at 512; real pages have some 60, and what walks trees may take a call for each level. */
export const treeDepthMax = 400;

/** Their text does not belong to the page, so it must not come out of them. */
const silentNames = new Set(["script", "style", "template", "title", "textarea", "noscript"]);

/**
 * Makes a tree at most `treeDepthMax` levels deep: below that, elements give way to what they hold,
 * as in browsers. No text is lost.
 */
export function flattenDeep(document: Document): void {
  let level: ParentNode[] = [document];
  for (let depth = 0; depth < treeDepthMax && level.length > 0; depth++) {
    const below: ParentNode[] = [];
    for (const { children } of level) {
      for (const child of children) {
        if (hasChildren(child) && child.children.length > 0) below.push(child);
      }
    }
    level = below;
  }
  for (const node of level) adopt(node, leavesOf(node));
}

/** All below `node` that holds nothing else, in document order. */
function leavesOf(node: ParentNode): ChildNode[] {
  const leaves: ChildNode[] = [];
  const waiting = node.children.toReversed();
  for (let child = waiting.pop(); child !== undefined; child = waiting.pop()) {
    if (!hasChildren(child) || child.children.length === 0) leaves.push(child);
    else if (!isTag(child) || !isSilent(child)) {
      for (let index = child.children.length - 1; index >= 0; index--) {
        const inner = child.children[index];
        if (inner !== undefined) waiting.push(inner);
      }
    }
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
