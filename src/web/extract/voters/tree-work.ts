import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";

/**
 * The levels above all elements below `root`, added up: what it costs to ask each element about its
 * ancestors. Counting ends above `workMax`.
 */
export function treeWork(root: HtmlElement, workMax: number): number {
  let work = 0;
  const waiting = [{ element: root, depth: 1 }];
  for (let top = waiting.pop(); top !== undefined && work <= workMax; top = waiting.pop()) {
    work += top.depth;
    for (const child of top.element.children) {
      if (isTag(child)) waiting.push({ element: child, depth: top.depth + 1 });
    }
  }
  return work;
}
