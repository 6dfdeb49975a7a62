import { isTag, type ParentNode } from "domhandler";

import { isWithin } from "../../../dom/element.ts";
import { type HtmlElement, walkElements } from "../../../dom/parse-html.ts";
import type { KindCandidate, PageFacts } from "../../page-facts.ts";
import { classTokens } from "../element-pattern.ts";
import { isFramed, isHiddenByClass, isPageFurniture } from "../furniture.ts";
import type { PageClaims } from "../short-text.ts";
import { copyList, type ProtectedParts, protectedParts } from "./copy-list.ts";
import { areCards, ownLists } from "./list-evidence.ts";
import { findRecordGroups, type RecordGroup } from "./record-groups.ts";

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

/** Fewer cards are found below an article, or beside a text. */
const cardsMin = 5;
/** Fewer goods among much prose are recommendations of an article. */
const goodsMin = 8;
/** In the mean; longer ones are chapters. */
const cardCharsMax = 1_000;
/** Shorter paragraphs occur in cards too. */
const paragraphCharsMin = 60;
/** Lists in such parts are further reading. */
const besideClass =
  /(?:^|[-_])(?:sidebar|widget|widgets|related|recent|popular|trending|latest|breaking|ticker|archive-list|right-?col(?:umn)?|left-?col(?:umn)?|rail)(?:$|[-_])/i;
const ancestorsMax = 60;

interface ListEvidence {
  /** From 0 to 1. */
  readonly certainty: number;
  readonly isPriced: boolean;
  /** The lists that the page is about. */
  readonly lists: readonly RecordGroup[];
}

/** How sure it is that a page is its lists, by the cards in it and the prose outside them. */
function listEvidence(page: PageFacts, claims: PageClaims): ListEvidence {
  const none = { certainty: 0, isPriced: false, lists: [] };
  if (claims.isArticle) return none;
  const lists = ownLists(
    findRecordGroups(page).filter((group) => isCardList(group, claims, page)),
    page,
  );
  const [first] = lists;
  if (first === undefined) return none;
  const { cards, prose } = weigh(new Set(lists.flatMap(({ records }) => records)), page);
  const { isPriced } = first;
  const part = cards / Math.max(1, cards + prose);
  if (
    claims.isSharedAsArticle &&
    !claims.isCollection &&
    !isPriced &&
    (part < 0.7 || first.records.length < 8)
  )
    return none;
  return { certainty: certaintyOf(part, isPriced, first.records.length), isPriced, lists };
}

function certaintyOf(part: number, isPriced: boolean, count: number): number {
  if (part >= 0.85) return 0.8;
  if (part >= 0.6) return 0.65;
  // A shop describes its goods above and below them.
  if (isPriced && part >= 0.3) return 0.6;
  if (isPriced && count >= goodsMin) return 0.5;
  return part >= 0.4 ? 0.4 : 0.2;
}

function isCardList(group: RecordGroup, claims: PageClaims, page: PageFacts): boolean {
  const { records, chars, isRich } = group;
  if (!isRich || records.length < cardsMin || chars > records.length * cardCharsMax) return false;
  return (claims.isCollection || !isBeside(records[0])) && areCards(group, page);
}

function isBeside(record: HtmlElement | undefined): boolean {
  let element: ParentNode | null = record ?? null;
  for (let steps = 0; steps < ancestorsMax && element !== null && isTag(element); steps++) {
    if (element.name === "aside") return true;
    if (element.name !== "body" && classTokens(element).some((token) => besideClass.test(token)))
      return true;
    element = element.parent;
  }
  return false;
}

/** Characters in cards, and those of paragraphs outside of them. */
function weigh(
  records: ReadonlySet<HtmlElement>,
  page: PageFacts,
): { cards: number; prose: number } {
  let cards = 0;
  let prose = 0;
  walkElements(page.body, (element) => {
    const measure = page.measure(element);
    if (records.has(element)) {
      cards += measure.chars;
      return "past";
    }
    if (isFramed(element)) return "past";
    if (!/^(?:p|blockquote|pre)$/.test(element.name)) return "into";
    const chars = measure.chars - measure.linkChars;
    if (chars >= paragraphCharsMin) prose += chars;
    return "past";
  });
  return { cards, prose };
}
