import type { HtmlElement } from "../dom/parse-html.ts";

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
