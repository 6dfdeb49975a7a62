import { collapseSpace, lineText, nodeText } from "../../../dom/node-text.ts";
import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";

/** Characters that distinguish one part from another. */
const sampleCharsMax = 200;
/** Shorter texts are the same by chance. */
const sampleCharsMin = 12;
/** Each search goes through the text of the whole page. */
const searchesMax = 60;

/** Pages write parts more than once, for screens of other widths, and show one of them. */
export class RepeatedText {
  readonly #page: PageFacts;
  readonly #seen = new Set<string>();
  #text: string | undefined;
  #searches = 0;

  constructor(page: PageFacts) {
    this.#page = page;
  }

  /** True from the second time on that a record with this text is asked for. */
  isSecond(record: HtmlElement): boolean {
    const text = lineText(record, this.#page.measure(record).chars * 2 + sampleCharsMax);
    if (text.length < sampleCharsMin) return false;
    if (this.#seen.has(text)) return true;
    this.#seen.add(text);
    return false;
  }

  /** True when the page has the beginning of the text of `element` in another place too. */
  isElsewhere(element: HtmlElement): boolean {
    if (this.#searches >= searchesMax) return false;
    this.#searches++;
    const sample = lineText(element, sampleCharsMax).slice(0, sampleCharsMax).trim();
    if (sample === "") return true;
    this.#text ??= collapseSpace(nodeText(this.#page.body));
    const first = this.#text.indexOf(sample);
    return first !== -1 && this.#text.includes(sample, first + sample.length);
  }
}
