import { isTag } from "domhandler";
import type { ParentNode } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import { walkElements } from "../../../dom/walk.ts";
import type { PageFacts } from "../../page-facts.ts";
import { classTokens } from "../element-pattern.ts";
import type { PageClaims } from "../page-claims.ts";
import { areCards } from "./card-evidence.ts";
import { isFramed } from "./page-furniture.ts";
import { ownLists } from "./own-lists.ts";
import { findRecordGroups } from "./record-groups.ts";
import type { RecordGroup } from "./record-groups.ts";

/** Fewer cards are found below an article, or beside a text. */
const cardsMin = 5;
/** Fewer goods among much prose are what an article recommends. */
const goodsMin = 8;
/** In the mean; longer ones are chapters. */
const cardCharsMax = 1_000;
/** Shorter paragraphs occur in cards too. */
const paragraphCharsMin = 60;
/** Lists in such parts are what else there is to read. */
const besideClass =
  /(?:^|[-_])(?:sidebar|widget|widgets|related|recent|popular|trending|latest|breaking|ticker|archive-list|right-?col(?:umn)?|left-?col(?:umn)?|rail)(?:$|[-_])/i;
const ancestorsMax = 60;

export interface ListEvidence {
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
