import type { HtmlElement } from "../../../dom/parse-html.ts";

/** A post of a thread as it was found in a page; nothing is copied yet. */
export interface Post {
  readonly element: HtmlElement;
  readonly body: HtmlElement;
  /** Empty when the page does not say. */
  readonly author: string;
  /** As the page shows it: "March 3, 2026", "2 hours ago". Empty when the page does not say. */
  readonly date: string;
}
