import type { HtmlElement } from "../../../dom/parse-html.ts";
import { walkElements } from "../../../dom/walk.ts";
import { classTokens, matchesPattern } from "../element-pattern.ts";
import type { ElementPattern } from "../element-pattern.ts";
import { forumMarkups } from "./forum-markups.ts";
import type { ForumMarkup } from "./forum-markups.ts";

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

/** The software whose posts and bodies both occur below `root`: one walk for all of the table. */
export function markupsIn(root: HtmlElement): ForumMarkup[] {
  const seen = { post: new Set<ForumMarkup>(), body: new Set<ForumMarkup>() };
  walkElements(root, (element) => {
    for (const key of ["", ...classTokens(element)]) {
      for (const { markup, pattern, part } of entries.get(key) ?? []) {
        if (!seen[part].has(markup) && matchesPattern(element, pattern)) seen[part].add(markup);
      }
    }
    return "into";
  });
  return forumMarkups.filter((markup) => seen.post.has(markup) && seen.body.has(markup));
}
