import type { HtmlElement } from "../../../dom/parse-html.ts";
import { walkElements } from "../../../dom/walk.ts";
import { classTokens, matchesPattern } from "../element-pattern.ts";
import type { ElementPattern } from "../element-pattern.ts";
import { forumMarkups } from "./forum-markups.ts";
import type { ForumMarkup } from "./forum-markups.ts";
import { threadPostsMax } from "./post-groups.ts";

interface Entry {
  readonly markup: ForumMarkup;
  readonly pattern: ElementPattern;
  readonly part: "post" | "body";
}

/**
 * Patterns by what they ask for: `.class`, or for those that ask for none `[attribute`, or the name of the element.
 * An element is asked about those alone that it may match.
 */
const entries = new Map<string, Entry[]>();
for (const markup of forumMarkups) {
  for (const part of ["post", "body"] as const) {
    for (const pattern of markup[part]) {
      const key = keyOf(pattern);
      entries.set(key, [...(entries.get(key) ?? []), { markup, pattern, part }]);
    }
  }
}

/** Of the keys. */
const attributes = [...entries.keys()]
  .filter((key) => key.startsWith("["))
  .map((key) => key.slice(1));

function keyOf({ classes, id, attributes: [attribute], name }: ElementPattern): string {
  const [token] = classes;
  if (token !== undefined) return `.${token}`;
  return id !== undefined ? "[id" : attribute !== undefined ? `[${attribute.name}` : (name ?? "");
}

/** A page is of one software; what a few others use the same names for is told apart by the posts. */
const markupsMax = 4;

/** The software whose posts and bodies both occur below `root`, most first: one walk for all of the table. */
export function markupsIn(root: HtmlElement): ForumMarkup[] {
  const counts: Counts = new Map();
  walkElements(root, (element) => {
    countMatches(element, entries.get(element.name), counts);
    for (const attribute of attributes) {
      if (element.attribs[attribute] === undefined) continue;
      countMatches(element, entries.get(`[${attribute}`), counts);
    }
    for (const token of classTokens(element)) {
      countMatches(element, entries.get(`.${token}`), counts);
    }
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
