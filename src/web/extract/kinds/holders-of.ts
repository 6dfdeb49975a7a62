import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";

/** All ancestors of any of `elements`. */
export function holdersOf(elements: Iterable<HtmlElement>): Set<HtmlElement> {
  const holders = new Set<HtmlElement>();
  for (const element of elements) {
    let parent = element.parent;
    while (parent !== null && isTag(parent) && !holders.has(parent)) {
      holders.add(parent);
      parent = parent.parent;
    }
  }
  return holders;
}
