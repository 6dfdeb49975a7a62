import { type HtmlElement, walkElements } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";
import {
  classTokens,
  type ElementPattern,
  matchesAny,
  matchesPattern,
  parsePattern,
} from "../element-pattern.ts";
import { answerMarkups, boardMarkups } from "./forum-markups.ts";
import { findPosts, threadPostsMax, type Post, type Thread } from "./find-posts.ts";

/**
 * The markup of a discussion program's threads. The names are those of generators: many sites run each of them, and
 * these are the names in the program's own templates.
 */
interface ForumMarkup {
  readonly software: string;
  /** One for each post; posts may be nested. */
  readonly post: readonly ElementPattern[];
  /** The body; the first in a post. */
  readonly body: readonly ElementPattern[];
  readonly author: readonly ElementPattern[];
  readonly date: readonly ElementPattern[];
  /** Parts of a body that do not belong to its text. */
  readonly drop: readonly ElementPattern[];
}

/** All of them, parsed. */
export const forumMarkups: readonly ForumMarkup[] = Object.entries({
  ...boardMarkups,
  ...answerMarkups,
}).map(([software, row]) => ({
  software,
  post: parseList(row.post),
  body: parseList(row.body),
  author: parseList(row.author ?? ""),
  date: parseList(row.date ?? ""),
  drop: parseList(row.drop ?? ""),
}));

function parseList(selectors: string): ElementPattern[] {
  return selectors
    .split(",")
    .map((selector) => selector.trim())
    .filter((selector) => selector !== "")
    .map((selector) => parsePattern(selector));
}

/** The least part of the text outside links that posts have; the rest of a page with a thread is small parts of many kinds. */
const bodyPartMin = 0.3;
/** A thread of one post is distinguished from an article by the known facts about the post. */
const markedPartMin = 0.5;

/** The thread of a page that software wrote whose markup is known. */
export function knownThread(page: PageFacts): Thread | undefined {
  return markupsIn(page.body)
    .map((markup) => threadOf(markup, page))
    .filter(({ chars }) => chars > 0)
    .toSorted((a, b) => b.chars - a.chars)[0];
}

function threadOf(markup: ForumMarkup, page: PageFacts): Thread {
  const posts = findPosts(page.body, {
    isPost: (element) => matchesAny(element, markup.post),
    isBody: (element) => matchesAny(element, markup.body),
    author: markup.author,
    date: markup.date,
  });
  const chars = posts.reduce((sum, { body }) => sum + page.measure(body).chars, 0);
  const certainty = certaintyOf(posts, chars, page);
  return { posts, chars, lead: undefined, drop: markup.drop, certainty };
}

function certaintyOf(posts: readonly Post[], chars: number, page: PageFacts): number {
  const all = page.measure(page.body);
  const part = chars / Math.max(1, all.chars - all.linkChars);
  const marked = posts.filter(({ author, date }) => author !== "" || date !== "").length;
  if (marked < posts.length * markedPartMin) return 0.3;
  return part >= bodyPartMin ? 0.95 : 0.4;
}

interface Entry {
  readonly markup: ForumMarkup;
  readonly pattern: ElementPattern;
  readonly part: "post" | "body";
}

/**
 * Patterns by a class that they ask for, those that ask for none by an attribute, the others by name: an element is
 * asked about those alone that it may match.
 */
const byClass = new Map<string, Entry[]>();
const byAttribute = new Map<string, Entry[]>();
const byName = new Map<string, Entry[]>();
for (const markup of forumMarkups) {
  for (const part of ["post", "body"] as const) {
    for (const pattern of markup[part]) {
      addEntry({ markup, pattern, part });
    }
  }
}

function addEntry(entry: Entry): void {
  const { classes, id, attributes, name } = entry.pattern;
  const attribute = id === undefined ? attributes[0]?.name : "id";
  const [entries, key] =
    classes[0] !== undefined
      ? [byClass, classes[0]]
      : attribute !== undefined
        ? [byAttribute, attribute]
        : [byName, name ?? ""];
  entries.set(key, [...(entries.get(key) ?? []), entry]);
}

/** A page comes from one program; where a few others use the same names, the posts decide. */
const markupsMax = 4;

/** The software whose posts and bodies both occur below `root`, most first: one walk for all of the table. */
function markupsIn(root: HtmlElement): ForumMarkup[] {
  const counts: Counts = new Map();
  walkElements(root, (element) => {
    countMatches(element, byName.get(element.name), counts);
    for (const attribute in element.attribs) {
      countMatches(element, byAttribute.get(attribute), counts);
    }
    for (const token of classTokens(element)) countMatches(element, byClass.get(token), counts);
    return "into";
  });
  return [...counts]
    .map(([markup, { post, body }]) => ({ markup, both: Math.min(post, body) }))
    .filter(({ both }) => both > 0 && both <= threadPostsMax)
    .toSorted((a, b) => b.both - a.both)
    .slice(0, markupsMax)
    .map(({ markup }) => markup);
}

type Counts = Map<ForumMarkup, { post: number; body: number }>;

function countMatches(
  element: HtmlElement,
  candidates: readonly Entry[] | undefined,
  counts: Counts,
): void {
  if (candidates === undefined) return;
  for (const { markup, pattern, part } of candidates) {
    if (!matchesPattern(element, pattern)) continue;
    const count = counts.get(markup) ?? { post: 0, body: 0 };
    count[part]++;
    counts.set(markup, count);
  }
}
