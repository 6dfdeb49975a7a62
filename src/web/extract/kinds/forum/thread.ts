import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { ElementPattern } from "../element-pattern.ts";
import type { Post } from "./post.ts";

/** What was found in a page and may be the thread that it shows. */
export interface Thread {
  readonly posts: readonly Post[];
  /** Characters of text in the bodies. */
  readonly chars: number;
  /** What stands before the posts and is the first of them in all but its markup: a question before its answers. */
  readonly lead: HtmlElement | undefined;
  /** In a body, and no part of what was written. */
  readonly drop: readonly ElementPattern[];
  /** From 0 to 1: how sure the markup makes it that these are all posts of the page. */
  readonly certainty: number;
}
