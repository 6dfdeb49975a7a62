import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { ElementPattern } from "../element-pattern.ts";

/** A post of a thread as it was found in a page; nothing is copied yet. */
export interface Post {
  readonly element: HtmlElement;
  readonly body: HtmlElement;
  /** Empty when the page does not say. */
  readonly author: string;
  /** As the page shows it: "March 3, 2026", "2 hours ago". Empty when the page does not say. */
  readonly date: string;
}

/** A possible thread that was found in a page. */
export interface Thread {
  readonly posts: readonly Post[];
  /** Characters of text in the bodies. */
  readonly chars: number;
  /** The element before the posts that is the first post in all but its markup: a question before its answers. */
  readonly lead: HtmlElement | undefined;
  /** Parts of a body that do not belong to its text. */
  readonly drop: readonly ElementPattern[];
  /** From 0 to 1: how sure the markup makes it that these are all posts of the page. */
  readonly certainty: number;
}
