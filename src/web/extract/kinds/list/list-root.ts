import { isTag } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import { walkElements } from "../../../dom/walk.ts";
import type { PageFacts } from "../../page-facts.ts";
import { isHiddenByClass } from "../is-furniture.ts";
import { isPageFurniture } from "./page-furniture.ts";
import type { ProtectedParts } from "./protected-parts.ts";

/** Text around a list belongs to it if it is prose: an introduction, or a shop's text below. */
const addedCharsMin = 120;
const addedStopsMin = 2;

/**
 * The smallest part of the page that holds its lists, their heading, and all prose around them.
 */
export function listRoot(page: PageFacts, parts: ProtectedParts): HtmlElement {
  const heading = firstHeading(page);
  let root = commonHolder(page.body, parts);
  for (
    let child = root, parent = root.parent;
    parent !== null && isTag(parent) && child !== page.body && !isWholeMain(child, heading);
    child = parent, parent = parent.parent
  ) {
    if (addsContent(parent, child, heading, page)) root = parent;
  }
  return root;
}

/** `main`, unless the heading of the page is outside of it. */
function isWholeMain(element: HtmlElement, heading: HtmlElement | undefined): boolean {
  if (element.name !== "main" && element.attribs["role"] !== "main") return false;
  return heading === undefined || isWithin(heading, element);
}

/** The deepest element that holds all records. */
function commonHolder(body: HtmlElement, { records, holders }: ProtectedParts): HtmlElement {
  let holder = body;
  for (;;) {
    const inner = holder.children.filter(isTag).filter((child) => holders.has(child));
    const hasRecord = holder.children.some((child) => isTag(child) && records.has(child));
    const [only] = inner;
    if (inner.length !== 1 || hasRecord || only === undefined) return holder;
    holder = only;
  }
}

function addsContent(
  parent: HtmlElement,
  child: HtmlElement,
  heading: HtmlElement | undefined,
  page: PageFacts,
): boolean {
  let chars = 0;
  let stops = 0;
  for (const sibling of parent.children) {
    if (!isTag(sibling) || sibling === child) continue;
    if (sibling === heading) return true;
    const measure = page.measure(sibling);
    if (isHiddenByClass(sibling) || isPageFurniture(sibling, measure)) continue;
    if (heading !== undefined && isWithin(heading, sibling)) return true;
    chars += measure.chars - measure.linkChars;
    stops += measure.stops;
  }
  return chars >= addedCharsMin && stops >= addedStopsMin;
}

function firstHeading(page: PageFacts): HtmlElement | undefined {
  let heading: HtmlElement | undefined;
  walkElements(page.body, (element) => {
    if (heading === undefined && element.name === "h1" && page.measure(element).chars > 0)
      heading = element;
    return heading === undefined ? "into" : "past";
  });
  return heading;
}

/** Headings are near the surface; from a deeper one nothing is concluded. */
const headingStepsMax = 12;

function isWithin(element: HtmlElement, ancestor: HtmlElement): boolean {
  let parent = element.parent;
  for (let steps = 0; steps < headingStepsMax && parent !== null; steps++) {
    if (parent === ancestor) return true;
    parent = parent.parent;
  }
  return false;
}
