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
