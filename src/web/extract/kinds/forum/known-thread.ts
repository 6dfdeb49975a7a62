import type { PageFacts } from "../../page-facts.ts";
import { findPosts, matchesAny } from "./find-posts.ts";
import type { ForumMarkup } from "./forum-markups.ts";
import { markupsIn } from "./markup-evidence.ts";
import type { Post } from "./post.ts";
import type { Thread } from "./thread.ts";

/** Of the text outside links; the rest of a page with a thread is small parts of many kinds. */
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
