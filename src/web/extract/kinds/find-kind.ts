import { type ChildNode, Element, isTag, isText, Text } from "domhandler";

import {
  childElements,
  type HtmlElement,
  findElement,
  findElements,
} from "../../dom/parse-html.ts";
import type { KindCandidate, PageFacts } from "../page-facts.ts";
import {
  appendNode,
  copyContent,
  holdersOf,
  isHiddenByClass,
  isLinkMenu,
  isPageFurniture,
} from "./furniture.ts";
import { type Thread } from "./forum/find-posts.ts";
import { matchesAny } from "./element-pattern.ts";
import { knownThread } from "./forum/known-thread.ts";
import { unknownThread } from "./forum/unknown-thread.ts";
import { isActionText, findList } from "./list/find-list.ts";
import { areCards } from "./list/list-evidence.ts";
import { findRecordGroups } from "./list/record-groups.ts";
import { isHeadingOfNothing, readClaims, saysWord, wordPattern } from "./short-text.ts";

/** A thread that is as sure is not compared with anything else. */
const threadConfidenceMin = 0.7;

/** The kind of page, other than a single text, that this looks like, and the part that is kept. */
export function findKind(page: PageFacts): KindCandidate | undefined {
  const thread = findThread(page);
  if (thread !== undefined && thread.confidence >= threadConfidenceMin) return thread;
  const claims = readClaims(page);
  if (claims.isProduct && !claims.isCollection) return findProduct(page);
  const list = findList(page, claims);
  if (list !== undefined) return list;
  return claims.isSharedAsProduct ? findProduct(page) : thread;
}

/** Below it a presumed thread is not checked against other software. */
const certaintyMin = 0.5;

/** The thread of a page of a forum, or the questions and answers of one. */
export function findThread(page: PageFacts): KindCandidate | undefined {
  const known = knownThread(page);
  const thread =
    known !== undefined && known.certainty >= certaintyMin ? known : unknownThread(page);
  if (thread === undefined) return undefined;
  return { kind: "forum", root: buildThread(thread), confidence: thread.certainty };
}

/** A thread as a tree of its own: for each post its author, its time, and a copy of its text. */
function buildThread({ posts, lead, drop }: Thread): HtmlElement {
  const root = new Element("div", {});
  if (lead !== undefined) appendNode(root, copyContent(lead));
  for (const post of posts) {
    const section = new Element("section", {});
    if (post.author !== "") appendNode(section, paragraph(new Element("strong", {}), post.author));
    if (post.date !== "") appendNode(section, paragraph(undefined, post.date));
    appendNode(
      section,
      copyContent(post.body, (element) => element.name === "form" || matchesAny(element, drop)),
    );
    appendNode(root, section);
  }
  return root;
}

function paragraph(inner: HtmlElement | undefined, text: string): ChildNode {
  const outer = new Element("p", {});
  const holder = inner ?? outer;
  appendNode(holder, new Text(text));
  if (inner !== undefined) appendNode(outer, inner);
  return outer;
}

/** Pages that claim to be products are; which part is about the product is less sure. */
const confidence = 0.6;
/** A `main` that is not nearly empty is the main part. */
const mainPartMin = 0.25;
/** A part with more of the page's text is not an extra beside the product. */
const besidePartMax = 0.8;
/** Cards with more are the parts of the product's own page. */
const goodsPartMax = 0.5;
/** Shorter parts are a line of the product itself: how it is rated, when it comes. */
const besideCharsMin = 250;

/** Other goods, customer reviews and delivery; some words are of programs for reviews. */
const besideWords = wordPattern(
  "reviews?|testimonials?|ugc|shipping|delivery|returns|payments?|also-bought|also-like|bundles?|recently|related|recommend\\w*|suggested|cross|upsells?|crosssells?|more-from|breadcrumbs?|thumbnails?|policy|policies|sellers?|trust|guarantee|purchase-protection|newsletter|qna|questions|klaviyo|judgeme|yotpo|okendo|stamped|loox",
);

/** The page of one product: its name, price, options, description and data, without all other goods. */
function findProduct(page: PageFacts): KindCandidate | undefined {
  const main = mainOf(page);
  const heading = findElement(main, ({ name }) => name === "h1");
  const holders = holdersOf(heading === undefined ? [] : [heading]);
  const cards = otherGoods(page, holders);
  const besideCharsMax = page.measure(main).chars * besidePartMax;
  const isLeftOut = (element: HtmlElement): boolean => {
    const measure = page.measure(element);
    if (isHiddenByClass(element) || isActionText(element, measure)) return true;
    if (cards.has(element) || isRowOf(cards, element)) return true;
    if (holders.has(element) || measure.chars > besideCharsMax) return false;
    if (measure.chars >= besideCharsMin && saysWord(element, besideWords)) return true;
    // The options of a product are labels in a form.
    if (element.name === "label" || element.name === "form") return false;
    if (element.name === "header") return measure.linkChars > measure.chars / 2;
    return element.name === "aside" || isPageFurniture(element, measure) || isLinkMenu(measure);
  };
  const root = copyContent(
    main,
    (element) => isLeftOut(element) || isHeadingOfNothing(element, page, isLeftOut),
  );
  return { kind: "product", root, confidence };
}

/** Cards, other than those that contain the product's name. */
function otherGoods(page: PageFacts, holders: ReadonlySet<HtmlElement>): ReadonlySet<HtmlElement> {
  const charsMax = page.measure(page.body).chars * goodsPartMax;
  const groups = findRecordGroups(page).filter(
    (group) => group.chars < charsMax && areCards(group, page),
  );
  return new Set(groups.flatMap(({ records }) => records).filter((card) => !holders.has(card)));
}

/** True for an element that holds cards and nothing else. */
function isRowOf(cards: ReadonlySet<HtmlElement>, element: HtmlElement): boolean {
  const isOnly = element.children.every((child) =>
    isTag(child) ? cards.has(child) : !isText(child) || child.data.trim() === "",
  );
  return isOnly && childElements(element).length > 0;
}

function mainOf(page: PageFacts): HtmlElement {
  const charsMin = page.measure(page.body).chars * mainPartMin;
  const mains = findElements(
    page.body,
    (element) =>
      (element.name === "main" || element.attribs["role"] === "main") &&
      page.measure(element).chars >= charsMin,
  );
  const [fullest] = mains.toSorted((a, b) => page.measure(b).chars - page.measure(a).chars);
  return fullest ?? page.body;
}
