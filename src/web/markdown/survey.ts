import { type ChildNode, isTag } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import { isBlockName } from "./element-kinds.ts";
import { type Footnotes, findFootnotes } from "./footnotes.ts";

/** Facts about elements that are needed again and again, found in one pass over the tree. */
export interface Survey {
  /** Elements of the running text that have blocks somewhere inside. */
  readonly hasBlocks: ReadonlySet<HtmlElement>;
  readonly footnotes: Footnotes;
}

export function surveyTree(root: HtmlElement): Survey {
  const hasBlocks = new Set<HtmlElement>();
  const references: HtmlElement[] = [];
  const byId = new Map<string, HtmlElement>();
  const stack: ChildNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isTag(node)) continue;
    if (node !== root && isBlockName(node.name)) markAncestors(node, root, hasBlocks);
    const { id, href } = node.attribs;
    if (id !== undefined && !byId.has(id)) byId.set(id, node);
    if (node.name === "a" && href?.startsWith("#") === true) references.push(node);
    for (const child of node.children) stack.push(child);
  }
  return { hasBlocks, footnotes: findFootnotes(references, byId) };
}

/** Up to the first one that is known: each element is marked once. */
function markAncestors(element: HtmlElement, root: HtmlElement, marked: Set<HtmlElement>): void {
  for (let { parent } = element; parent !== null && isTag(parent); { parent } = parent) {
    if (marked.has(parent)) return;
    marked.add(parent);
    if (parent === root) return;
  }
}
