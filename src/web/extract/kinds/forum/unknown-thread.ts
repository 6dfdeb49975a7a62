import { isTag } from "domhandler";

import { type HtmlElement, walkElements } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";
import { holdersOf } from "../furniture.ts";
import { classTokens } from "../element-pattern.ts";
import { findPostGroups, findPosts, type PostGroup, type Thread } from "./find-posts.ts";

/** Author and time are known for nearly every post of a thread. */
const markedPartMin = 0.6;
/** The share of a page's commas and full stops that are in its thread. */
const stopsPartMin = 0.6;
/** More prose than this before the first post is an article, and the "posts" are comments on it. */
const proseBeforeMax = 500;
/** Answers come after a question; comments come after anything. */
const answerWord = /answer|reply|replies|response|post/i;

/** The thread of a page by the common traits of all forum software: many parts of one form, each with a person, a time and a text. */
export function unknownThread(page: PageFacts): Thread | undefined {
  return findPostGroups(page.body, (element) => page.measure(element).chars)
    .flatMap((group) => threadOf(group, page))
    .toSorted((a, b) => b.chars - a.chars)[0];
}

function threadOf({ key, elements }: PostGroup, page: PageFacts): Thread[] {
  // The condition that fits the fewest groups comes first, and costs least.
  const { stops, before, lead } = surroundings(elements, page);
  const isCommentOnly = before > proseBeforeMax && !answerWord.test(key);
  const all = page.measure(page.body).stops;
  if (isCommentOnly || stops < all * stopsPartMin) return [];

  const bodies = chooseBodies(elements, page);
  const posts = findPosts(page.body, {
    isPost: (element) => elements.has(element),
    isBody: (element) => bodies.has(element),
    author: [],
    date: [],
  }).filter(({ body }) => page.measure(body).chars > 0);
  const marked = posts.filter(({ author, date }) => author !== "" && date !== "").length;
  if (posts.length < 2 || marked < posts.length * markedPartMin) return [];
  const chars = posts.reduce((sum, { body }) => sum + page.measure(body).chars, 0);
  return [
    {
      posts,
      chars,
      lead: before > proseBeforeMax ? lead : undefined,
      drop: [],
      certainty: before > proseBeforeMax ? 0.6 : 0.8,
    },
  ];
}

interface Surroundings {
  /** Commas and full stops in posts and in the lead. */
  readonly stops: number;
  /** Characters of paragraphs before the first post, without links. */
  readonly before: number;
  /** The part without posts, before the first of them, that has most prose. */
  readonly lead: HtmlElement | undefined;
}

function surroundings(posts: ReadonlySet<HtmlElement>, page: PageFacts): Surroundings {
  const holders = holdersOf(posts);
  let stops = 0;
  let before = 0;
  let leadStops = 0;
  let lead: HtmlElement | undefined;
  let isBefore = true;
  walkElements(page.body, (element) => {
    const measure = page.measure(element);
    if (posts.has(element)) {
      isBefore = false;
      stops += measure.stops;
      return "past";
    }
    if (isBefore && element.name === "p") before += measure.chars - measure.linkChars;
    if (isBefore && !holders.has(element) && measure.stops > leadStops) {
      lead = element;
      leadStops = measure.stops;
    }
    return "into";
  });
  return { stops: stops + (before > proseBeforeMax ? leadStops : 0), before, lead };
}

const bodyClass =
  /(?:^|[-_])(?:body|content|contents|text|copy|prose|markdown|md|cooked|html|richtext|usertext|description)(?:$|[-_])/i;
const bodyProperty = /^(?:text|articleBody|description)$/;

/** When two nested parts have this share of their text in common, the inner one is used. */
const sameTextPartMin = 0.9;
/** Down to the body the greater part of a post's text is in one child. */
const bodyPartMin = 0.6;

/** Finds the body of each post, by the words of its classes or by the place of its text. */
function chooseBodies(posts: ReadonlySet<HtmlElement>, page: PageFacts): Set<HtmlElement> {
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
