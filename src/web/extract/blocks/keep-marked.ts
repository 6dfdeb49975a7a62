import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import { findElements } from "../../dom/walk.ts";
import type { PageFacts } from "../page-facts.ts";
import type { Block } from "./block.ts";

/** Elements that are beside the text by their name. */
const besideNames = new Set(["nav", "footer", "aside", "header"]);

/**
 * Whether each block is in the part that the page itself marks as its main part. For pages with too many blocks to
 * judge each (lists and tables without end, most likely, which are content or not as a whole), and for those with too
 * few to judge by.
 */
export function keepMarked(page: PageFacts, blocks: readonly Block[]): boolean[] {
  const main = largestMain(page);
  const known = new Map<HtmlElement, boolean>([[main, true]]);
  const isInside = (element: HtmlElement): boolean => {
    const path: HtmlElement[] = [];
    let at: HtmlElement | undefined = element;
    let inside: boolean | undefined;
    while (at !== undefined && inside === undefined) {
      inside = known.get(at) ?? (besideNames.has(at.name) ? false : undefined);
      path.push(at);
      at = at.parent !== null && isTag(at.parent) ? at.parent : undefined;
    }
    for (const passed of path) known.set(passed, inside ?? false);
    return inside ?? false;
  };
  return blocks.map(({ container }) => isInside(container));
}

function largestMain({ body, measure }: PageFacts): HtmlElement {
  const marked = findElements(
    body,
    ({ name, attribs }) => name === "main" || name === "article" || attribs["role"] === "main",
  );
  let largest = body;
  let chars = measure(body).chars / 2;
  for (const element of marked) {
    if (measure(element).chars <= chars) continue;
    largest = element;
    chars = measure(element).chars;
  }
  return largest;
}
