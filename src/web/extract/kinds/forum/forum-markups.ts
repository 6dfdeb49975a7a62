import { parsePattern } from "../element-pattern.ts";
import type { ElementPattern } from "../element-pattern.ts";
import { answerMarkups } from "./answer-markups.ts";
import { boardMarkups } from "./board-markups.ts";

/**
 * The markup of a discussion program's threads. The names are those of generators: many sites run each of them, and
 * these are the names in the program's own templates.
 */
export interface ForumMarkup {
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
