import { isTag, isText } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type { PageFacts } from "../page-facts.ts";

/** True for a heading when all that it stands above, up to the next heading, is left out. */
export function isHeadingOfNothing(
  element: HtmlElement,
  page: PageFacts,
  isLeftOut: (element: HtmlElement) => boolean,
): boolean {
  if (!/^h[2-6]$/.test(element.name)) return false;
  let isOfNothing = false;
  for (let next = element.next; next !== null; next = next.next) {
    if (isText(next) && next.data.trim() !== "") return false;
    if (!isTag(next) || page.measure(next).chars === 0) continue;
    if (/^h[1-6]$/.test(next.name)) break;
    if (!isLeftOut(next)) return false;
    isOfNothing = true;
  }
  return isOfNothing;
}
