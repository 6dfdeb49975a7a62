import { isTag, type ParentNode } from "domhandler";

import { parentOf } from "../../../dom/element.ts";
import { type HtmlElement, walkElements } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";
import { classTokens } from "../element-pattern.ts";
import { holdersOf, isFramed, isPageFurniture } from "../furniture.ts";
import { findNear, type PageClaims } from "../short-text.ts";
import { findRecordGroups, type RecordGroup } from "./record-groups.ts";

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

interface ListEvidence {
  /** From 0 to 1. */
  readonly certainty: number;
  readonly isPriced: boolean;
  /** The lists that the page is about. */
  readonly lists: readonly RecordGroup[];
}

/** How sure it is that a page is its lists, by the cards in it and the prose outside them. */
export function listEvidence(page: PageFacts, claims: PageClaims): ListEvidence {
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

/** The share of the fullest list from which another list of the page belongs to it. */
const besidePartMin = 0.25;
/** A list in the frame of a page is the page's own only if there is no other. */
const framedWeight = 0.2;
/** From a list up to the page's frame there are fewer. */
const ancestorsMax = 60;

/** The lists that a page is about, the fullest first. */
function ownLists(lists: readonly RecordGroup[], page: PageFacts): RecordGroup[] {
  const first = fullest(lists, page);
  if (first === undefined) return [];
  const holders = holdersOf(first.records);
  const beside = lists.filter(
    (list) =>
      list !== first &&
      list.chars >= first.chars * besidePartMin &&
      !isInFurniture(list, holders, page),
  );
  return [first, ...beside];
}

function fullest(lists: readonly RecordGroup[], page: PageFacts): RecordGroup | undefined {
  const none: ReadonlySet<HtmlElement> = new Set();
  return lists
    .map((list) => ({
      list,
      weight: list.chars * (isInFurniture(list, none, page) ? framedWeight : 1),
    }))
    .toSorted((a, b) => b.weight - a.weight)[0]?.list;
}

/** Looks up from the first record to the page's frame, but not at `holders`. */
function isInFurniture(
  { records }: RecordGroup,
  holders: ReadonlySet<HtmlElement>,
  page: PageFacts,
): boolean {
  let element: ParentNode | null = records[0] ?? null;
  for (let steps = 0; steps < ancestorsMax && element !== null && isTag(element); steps++) {
    if (!holders.has(element) && isPageFurniture(element, page.measure(element))) return true;
    element = element.parent;
  }
  return false;
}

/** Records that are looked into; the others of a group are like them. */
const samplesMax = 12;

/** True when the records of a group are cards: each leads to a page of its own, under a title or a picture. */
export function areCards({ records }: RecordGroup, page: PageFacts): boolean {
  const step = Math.max(1, Math.floor(records.length / samplesMax));
  const samples = records.filter((_, index) => index % step === 0).slice(0, samplesMax);
  const hrefs = new Set<string>();
  let linked = 0;
  let titled = 0;
  for (const sample of samples) {
    const link = findNear(sample, isPageLink);
    // Code occurs in chapters.
    if (link === undefined || findNear(sample, ({ name }) => name === "pre") !== undefined)
      continue;
    linked++;
    hrefs.add(link.attribs["href"] ?? "");
    if (isTitled(sample, page)) titled++;
  }
  return (
    linked >= samples.length * 0.8 && hrefs.size >= linked * 0.7 && titled >= samples.length * 0.6
  );
}

function isPageLink({ name, attribs }: HtmlElement): boolean {
  const href = attribs["href"];
  if (name !== "a" || href === undefined) return false;
  // A link to a picture opens a gallery.
  return !/^(?:#|javascript:|mailto:|tel:|$)|\.(?:jpe?g|png|gif|webp|avif)(?:$|\?)/i.test(href);
}

function isTitled(record: HtmlElement, page: PageFacts): boolean {
  const { chars, linkChars } = page.measure(record);
  if (linkChars >= chars * 0.4) return true;
  const image = findNear(record, ({ name }) => name === "img" || name === "picture");
  if (image !== undefined) return true;
  const heading = findNear(record, ({ name }) => /^h[1-6]$/.test(name));
  if (heading === undefined) return false;
  return findNear(heading, isPageLink) !== undefined || parentOf(heading)?.name === "a";
}
