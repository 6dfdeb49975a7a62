import { parsePattern } from "../element-pattern.ts";
import type { ElementPattern } from "../element-pattern.ts";
import { answerMarkups } from "./answer-markups.ts";
import { boardMarkups } from "./board-markups.ts";

/**
 * How a program for discussions marks up a thread. The names are those of generators: many sites run each of
 * them, and what is here is what the program's own templates write.
 */
export interface ForumMarkup {
  readonly software: string;
  /** One for each post; posts may stand in posts. */
  readonly post: readonly ElementPattern[];
  /** What was written; the first in a post. */
  readonly body: readonly ElementPattern[];
  readonly author: readonly ElementPattern[];
  readonly date: readonly ElementPattern[];
  /** In a body, and no part of what was written. */
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
