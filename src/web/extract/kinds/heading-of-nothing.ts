import { isTag, isText } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type { PageFacts } from "../page-facts.ts";
import { findNear } from "./short-text.ts";

/** True for a heading when everything below it, up to the next heading, is left out or shows no text. */
export function isHeadingOfNothing(
  element: HtmlElement,
  page: PageFacts,
  isLeftOut: (element: HtmlElement) => boolean,
): boolean {
  if (!/^h[2-6]$/.test(element.name)) return false;
  let isOfNothing = false;
  for (let next = element.next; next !== null; next = next.next) {
    if (isText(next) && next.data.trim() !== "") return false;
    if (!isTag(next)) continue;
    if (/^h[1-6]$/.test(next.name)) break;
    if (page.measure(next).chars > 0 && !isLeftOut(next)) return false;
    // Pictures alone below a heading are logos of partners, or of media that write about the site.
    isOfNothing ||= page.measure(next).chars > 0 || holdsPicture(next);
  }
  return isOfNothing;
}

function holdsPicture(element: HtmlElement): boolean {
  return findNear(element, ({ name }) => name === "img" || name === "picture") !== undefined;
}
