import type { HtmlDocument, HtmlElement } from "../dom/parse-html.ts";
import type { StructuredData } from "./structured-data.ts";
import type { TextMeasure } from "./text-measure.ts";

/**
 * The facts about a page that the strategies use. Scripts, styles, comments and whatever is not shown have left the
 * document before it is measured; strategies may move or detach nodes, after which measures of their ancestors are
 * those of before.
 */
export interface PageFacts {
  readonly document: HtmlDocument;
  /** The final URL of the page. */
  readonly url: string;
  /** The base of links: `<base>` and `url`. */
  readonly baseUrl: string;
  readonly body: HtmlElement;
  /** Of the page, without the name of its site; may be empty. */
  readonly title: string;
  readonly structured: StructuredData;
  /** Signs of the software that made the page, as `readPageSigns` reads them. */
  readonly signs: readonly string[];
  /** Measured once, when the page was read; zeros for an element that was made later. */
  readonly measure: (element: HtmlElement) => TextMeasure;
}

/** The part of a page that its reader came for. */
export interface Extraction {
  readonly title: string;
  /** `lang` of the document; empty when it does not say. */
  readonly language: string;
  /** A detached or attached element whose descendants are all content; its links are not made absolute yet. */
  readonly root: HtmlElement;
  /** The base for `href` and `src`: `<base>` and the final URL. */
  readonly baseUrl: string;
  /** Characters of text in `root`, white space collapsed: a page with few of them may need a browser. */
  readonly textChars: number;
}

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
