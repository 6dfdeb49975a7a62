import { isTag } from "domhandler";

import { collapseSpace } from "../../../dom/clean-text.ts";
import { isWithin, lineText, nodeText, parentOf } from "../../../dom/element.ts";
import { type HtmlElement, walkElements } from "../../../dom/parse-html.ts";
import type { KindCandidate, PageFacts } from "../../page-facts.ts";
import type { TextMeasure } from "../../text-measure.ts";
import {
  copyContent,
  holdersOf,
  isForSmallScreens,
  isHiddenByClass,
  isLinkMenu,
  isPageFurniture,
} from "../furniture.ts";
import { isHeadingOfNothing, type PageClaims, shortLine } from "../short-text.ts";
import { listEvidence } from "./list-evidence.ts";
import type { RecordGroup } from "./record-groups.ts";

/** Below it a page has lists, but is not one. */
const certaintyMin = 0.3;

/** A page whose subject are the things that it lists. */
export function findList(page: PageFacts, claims: PageClaims): KindCandidate | undefined {
  const { certainty, isPriced, lists } = listEvidence(page, claims);
  if (certainty < certaintyMin) return undefined;
  const parts = protectedParts(lists);
  const root = copyList(listRoot(page, parts), page, parts);
  return { kind: isPriced ? "collection" : "listing", root, confidence: certainty };
}

/** Text around a list belongs to it if it is prose: an introduction, or a shop's text below. */
const addedCharsMin = 120;
const addedStopsMin = 2;

/**
 * The smallest part of the page that holds its lists, their heading, and all prose around them.
 */
function listRoot(page: PageFacts, parts: ProtectedParts): HtmlElement {
  const heading = firstHeading(page);
  let root = commonHolder(page.body, parts);
  for (
    let child = root, parent = root.parent;
    parent !== null && isTag(parent) && child !== page.body && !isWholeMain(child, heading);
    child = parent, parent = parent.parent
  ) {
    if (addsContent(parent, child, heading, page)) root = parent;
  }
  return root;
}

/** `main`, unless the heading of the page is outside of it. */
function isWholeMain(element: HtmlElement, heading: HtmlElement | undefined): boolean {
  if (element.name !== "main" && element.attribs["role"] !== "main") return false;
  return heading === undefined || isWithin(heading, element, headingStepsMax);
}

/** The deepest element that holds all records. */
function commonHolder(body: HtmlElement, { records, holders }: ProtectedParts): HtmlElement {
  let holder = body;
  for (;;) {
    const inner = holder.children.filter(isTag).filter((child) => holders.has(child));
    const hasRecord = holder.children.some((child) => isTag(child) && records.has(child));
    const [only] = inner;
    if (inner.length !== 1 || hasRecord || only === undefined) return holder;
    holder = only;
  }
}

function addsContent(
  parent: HtmlElement,
  child: HtmlElement,
  heading: HtmlElement | undefined,
  page: PageFacts,
): boolean {
  let chars = 0;
  let stops = 0;
  for (const sibling of parent.children) {
    if (!isTag(sibling) || sibling === child) continue;
    if (sibling === heading) return true;
    const measure = page.measure(sibling);
    if (isHiddenByClass(sibling) || isPageFurniture(sibling, measure)) continue;
    if (heading !== undefined && isWithin(heading, sibling, headingStepsMax)) return true;
    chars += measure.chars - measure.linkChars;
    stops += measure.stops;
  }
  return chars >= addedCharsMin && stops >= addedStopsMin;
}

function firstHeading(page: PageFacts): HtmlElement | undefined {
  let heading: HtmlElement | undefined;
  walkElements(page.body, (element) => {
    if (heading === undefined && element.name === "h1" && page.measure(element).chars > 0)
      heading = element;
    return heading === undefined ? "into" : "past";
  });
  return heading;
}

/** Headings are near the surface; from a deeper one nothing is concluded. */
const headingStepsMax = 12;

/** A part of a page with more of its text is not its frame. */
const framePartMax = 0.4;
/** A part of a record with more of its text is not its actions. */
const recordFramePartMax = 0.6;

/** A copy of the part of a page that holds its lists: records, headings and prose, without the frame. */
function copyList(root: HtmlElement, page: PageFacts, parts: ProtectedParts): HtmlElement {
  const copier = new ListCopier(root, page, parts);
  return copyContent(root, (element) => copier.isDropped(element));
}

class ListCopier {
  readonly #page: PageFacts;
  readonly #parts: ProtectedParts;
  readonly #frameCharsMax: number;
  readonly #repeats: RepeatedText;
  /** The outermost record that contains an element; filled on the way down. */
  readonly #recordOf = new Map<HtmlElement, HtmlElement>();

  constructor(root: HtmlElement, page: PageFacts, parts: ProtectedParts) {
    this.#page = page;
    this.#parts = parts;
    this.#frameCharsMax = page.measure(root).chars * framePartMax;
    this.#repeats = new RepeatedText(page);
  }

  /** Asked for each element after its parent. */
  isDropped(element: HtmlElement): boolean {
    const record = this.#enter(element);
    if (record === element) return this.#repeats.isSecond(element);
    if (this.#parts.holders.has(element)) return false;
    const measure = this.#page.measure(element);
    if (this.#isUnseen(element, measure)) return true;
    if (record === undefined)
      return (
        this.#isFrame(element, measure) ||
        isHeadingOfNothing(element, this.#page, (part) => this.#isLeftOut(part))
      );
    const charsMax = this.#page.measure(record).chars * recordFramePartMax;
    return measure.chars < charsMax && isPageFurniture(element, measure);
  }

  #enter(element: HtmlElement): HtmlElement | undefined {
    const parent = parentOf(element);
    const outer = parent && this.#recordOf.get(parent);
    const record = outer ?? (this.#parts.records.has(element) ? element : undefined);
    if (record !== undefined) this.#recordOf.set(element, record);
    return record;
  }

  #isUnseen(element: HtmlElement, measure: TextMeasure): boolean {
    if (isHiddenByClass(element) || isActionText(element, measure)) return true;
    return isForSmallScreens(element) && this.#repeats.isElsewhere(element);
  }

  #isFrame(element: HtmlElement, measure: TextMeasure): boolean {
    if (measure.chars > this.#frameCharsMax) return false;
    // Programs put all of a page into a form.
    if (element.name === "form" || element.name === "header")
      return measure.linkChars > measure.chars / 2;
    return isPageFurniture(element, measure) || isLinkMenu(measure);
  }

  #isLeftOut(element: HtmlElement): boolean {
    if (this.#parts.holders.has(element) || this.#parts.records.has(element)) return false;
    const measure = this.#page.measure(element);
    return this.#isUnseen(element, measure) || this.#isFrame(element, measure);
  }
}

/** Characters that distinguish one part from another. */
const sampleCharsMax = 200;
/** Shorter texts are the same by chance. */
const sampleCharsMin = 12;
/** Each search goes through the text of the whole page. */
const searchesMax = 60;

/** Pages write parts more than once, for screens of other widths, and show one of them. */
class RepeatedText {
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

/** The longest of the words below is shorter. */
const actionCharsMax = 32;

/** The texts of links and labels of a shop, a list or a thread that act instead of inform. */
const action =
  /^(?:add(?: to)? (?:my )?(?:cart|basket|bag|wish ?-?list|list|compare|favou?rites|part list)|quick (?:view|shop|add|look)|(?:shop|buy|view|learn|read|show|see|load|tell me|find out) (?:now|more|all|details|product|products|less|it now|options)|select options|choose options|compare|go back|back to top|back|close|loading(?:\.{3}|…)?|please wait|sign in|log ?in|sponsored|share|print|save|skip to (?:main )?content|click to (?:expand|shrink)(?:\.{3}|…)?|reply|quote|report|like|permalink|copy link|edit|sort by:?|filters?|clear all|apply|next|previous|prev|menu|search)$/i;

/** True for a part whose text only names actions to click. */
export function isActionText(element: HtmlElement, { chars }: TextMeasure): boolean {
  if (chars === 0 || chars > actionCharsMax) return false;
  return action.test(shortLine(element, actionCharsMax));
}

/** The records of a page's lists, and their ancestors. */
interface ProtectedParts {
  readonly records: ReadonlySet<HtmlElement>;
  readonly holders: ReadonlySet<HtmlElement>;
}

function protectedParts(groups: readonly RecordGroup[]): ProtectedParts {
  const records = new Set(groups.flatMap((group) => group.records));
  return { records, holders: holdersOf(records) };
}
