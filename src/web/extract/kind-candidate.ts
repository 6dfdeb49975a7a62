import type { HtmlElement } from "../dom/parse-html.ts";

/** Kinds of page that are more than one text: threads, and lists of things. */
export type PageKind = "forum" | "listing" | "product" | "collection";

/** A possible kind of a page, and the part that would be kept. */
export interface KindCandidate {
  readonly kind: PageKind;
  /** Attached, or detached with copies or moved parts of the document; nothing but content is below it. */
  readonly root: HtmlElement;
  /** From 0 to 1: how sure the structure makes it. */
  readonly confidence: number;
}
