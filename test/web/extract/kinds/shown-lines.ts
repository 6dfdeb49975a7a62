import { isTag, isText } from "domhandler";
import type { ChildNode } from "domhandler";

import type { HtmlElement } from "../../../../src/web/dom/parse-html.ts";

/** The texts of an element in their order, one for each node that has some. */
export function shownLines(root: HtmlElement): string[] {
  const lines: string[] = [];
  const waiting: ChildNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isText(node)) {
      const line = node.data.replaceAll(/\s+/g, " ").trim();
      if (line !== "") lines.push(line);
    } else if (isTag(node)) {
      for (const child of node.children.toReversed()) waiting.push(child);
    }
  }
  return lines;
}
