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

/** Patterns by a class that they ask for; under the empty name those that ask for none. */
const entries = new Map<string, Entry[]>();
for (const markup of forumMarkups) {
  for (const part of ["post", "body"] as const) {
    for (const pattern of markup[part]) {
      const key = pattern.classes[0] ?? "";
      entries.set(key, [...(entries.get(key) ?? []), { markup, pattern, part }]);
    }
  }
}

/** A page is of one software; what a few others use the same names for is told apart by the posts. */
const markupsMax = 4;

/** The software whose posts and bodies both occur below `root`, most first: one walk for all of the table. */
export function markupsIn(root: HtmlElement): ForumMarkup[] {
  const counts = new Map<ForumMarkup, { post: number; body: number }>();
  walkElements(root, (element) => {
    for (const key of ["", ...classTokens(element)]) {
      for (const { markup, pattern, part } of entries.get(key) ?? []) {
        if (!matchesPattern(element, pattern)) continue;
        const count = counts.get(markup) ?? { post: 0, body: 0 };
        count[part]++;
        counts.set(markup, count);
      }
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
