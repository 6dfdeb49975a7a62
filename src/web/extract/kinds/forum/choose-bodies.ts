import { isTag } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";
import { classTokens } from "../element-pattern.ts";

const bodyClass =
  /(?:^|[-_])(?:body|content|contents|text|copy|prose|markdown|md|cooked|html|richtext|usertext|description)(?:$|[-_])/i;
const bodyProperty = /^(?:text|articleBody|description)$/;

/** Of two nested parts with this share of the same text, the inner one is meant. */
const sameTextPartMin = 0.9;
/** Down to the body the greater part of a post's text is in one child. */
const bodyPartMin = 0.6;

/** Finds the body of each post, by the words of its classes or by the place of its text. */
export function chooseBodies(posts: ReadonlySet<HtmlElement>, page: PageFacts): Set<HtmlElement> {
  const bodies = new Set<HtmlElement>();
  for (const post of posts)
    bodies.add(namedBody(post, posts, page) ?? fullestPart(post, posts, page));
  return bodies;
}

function namedBody(
  post: HtmlElement,
  posts: ReadonlySet<HtmlElement>,
  page: PageFacts,
): HtmlElement | undefined {
  let best: HtmlElement | undefined;
  const waiting = childrenOf(post, posts);
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (isNamedBody(element)) {
      const chars = page.measure(element).chars;
      const known = best === undefined ? 0 : page.measure(best).chars;
      if (
        chars > known ||
        (best !== undefined && isBelow(element, best) && chars >= known * sameTextPartMin)
      )
        best = element;
    }
    for (const child of childrenOf(element, posts)) waiting.push(child);
  }
  return best;
}

function isNamedBody(element: HtmlElement): boolean {
  if (bodyProperty.test(element.attribs["itemprop"] ?? "")) return true;
  return classTokens(element).some((token) => bodyClass.test(token));
}

function isBelow(element: HtmlElement, ancestor: HtmlElement): boolean {
  // The walk comes from `ancestor` along few elements with as much text.
  let parent = element.parent;
  for (let steps = 0; steps < 20 && parent !== null; steps++) {
    if (parent === ancestor) return true;
    parent = parent.parent;
  }
  return false;
}

function fullestPart(
  post: HtmlElement,
  posts: ReadonlySet<HtmlElement>,
  page: PageFacts,
): HtmlElement {
  let part = post;
  for (;;) {
    const chars = page.measure(part).chars;
    const next = childrenOf(part, posts).find(
      (child) => page.measure(child).chars >= chars * bodyPartMin && chars > 0,
    );
    if (next === undefined) return part;
    part = next;
  }
}

function childrenOf(element: HtmlElement, posts: ReadonlySet<HtmlElement>): HtmlElement[] {
  return element.children.filter(isTag).filter((child) => !posts.has(child));
}
