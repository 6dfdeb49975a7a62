import type { HtmlElement } from "../../../dom/parse-html.ts";
import { walkElements } from "../../../dom/walk.ts";
import type { PageFacts } from "../../page-facts.ts";
import { holdersOf } from "../holders-of.ts";
import { chooseBodies } from "./choose-bodies.ts";
import { findPosts } from "./find-posts.ts";
import { findPostGroups } from "./post-groups.ts";
import type { PostGroup } from "./post-groups.ts";
import type { Thread } from "./thread.ts";

/** Author and time are known for nearly every post of a thread. */
const markedPartMin = 0.6;
/** The share of a page's commas and full stops that are in its thread. */
const stopsPartMin = 0.6;
/** More prose than this before the first post is an article, and the "posts" are comments on it. */
const proseBeforeMax = 500;
/** Answers come after a question; comments come after anything. */
const answerWord = /answer|reply|replies|response|post/i;

/** The thread of a page by what all software does: many parts of one form, each with a person, a time and a text. */
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
