import { type ChildNode, isTag, isText } from "domhandler";

import { collapseSpace } from "../../dom/clean-text.ts";
import { type HtmlElement, walkElements } from "../../dom/parse-html.ts";
import type { PageFacts } from "../page-facts.ts";
import { classTokens } from "./element-pattern.ts";

/** Names, dates and prices have few nodes; pages that nest without end are not followed there. */
const nodesMax = 200;

/** The text of an element on one line; empty when it is longer than `charsMax` or in too many nodes. */
export function shortLine(element: HtmlElement, charsMax: number): string {
  let text = "";
  const isWhole = visitNear(element, (node) => {
    if (isText(node)) text += node.data;
    return text.length > charsMax * 4;
  });
  if (!isWhole) return "";
  const line = collapseSpace(text);
  return line.length > charsMax ? "" : line;
}

/** The first element at or below `element` that `matches`, of the nearest ones. */
export function findNear(
  element: HtmlElement,
  matches: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  let found: HtmlElement | undefined;
  visitNear(element, (node) => {
    if (isTag(node) && matches(node)) found = node;
    return found !== undefined;
  });
  return found;
}

/** Visits `root` and its descendants, in order, until `isEnough`; false when not all of it was visited. */
function visitNear(root: HtmlElement, isEnough: (node: ChildNode) => boolean): boolean {
  const waiting: ChildNode[] = [root];
  let visits = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (++visits > nodesMax || isEnough(node)) return false;
    if (!isTag(node)) continue;
    // The last of very many children would not be reached anyway.
    for (let index = Math.min(node.children.length, nodesMax) - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child !== undefined) waiting.push(child);
    }
    if (node.children.length > nodesMax) return false;
  }
  return true;
}

/** Names are shorter. */
const tokenCharsMax = 200;

/** True when `words` is found in the id of an element or in one of its classes, written with dashes. */
export function saysWord(element: HtmlElement, words: RegExp): boolean {
  const { id } = element.attribs;
  const tokens = id === undefined ? classTokens(element) : [id, ...classTokens(element)];
  return tokens.some((token) => words.test(dashed(token.slice(0, tokenCharsMax))));
}

/** A pattern for whole words between dashes. */
export function wordPattern(words: string): RegExp {
  return new RegExp(`(?:^|-)(?:${words})(?:$|-)`, "i");
}

/** `productCard__title` → `product-Card-title`. */
function dashed(token: string): string {
  return token.replaceAll(/[_-]+/g, "-").replaceAll(/([a-z])([A-Z])/g, "$1-$2");
}

/** True for a heading when everything below it, up to the next heading, is left out or shows no text. */
export function isHeadingOfNothing(
  element: HtmlElement,
  page: PageFacts,
  isLeftOut: (element: HtmlElement) => boolean,
): boolean {
  if (!/^h[2-6]$/.test(element.name)) return false;
  let isOfNothing = false;
  for (let next = element.next; next !== null; next = next.next) {
    if (isText(next) && next.data.trim() !== "") return false;
    if (!isTag(next)) continue;
    if (/^h[1-6]$/.test(next.name)) break;
    if (page.measure(next).chars > 0 && !isLeftOut(next)) return false;
    // Pictures alone below a heading are logos of partners, or of media that write about the site.
    isOfNothing ||= page.measure(next).chars > 0 || holdsPicture(next);
  }
  return isOfNothing;
}

function holdsPicture(element: HtmlElement): boolean {
  return findNear(element, ({ name }) => name === "img" || name === "picture") !== undefined;
}

/** The kind that a page claims to be, to search engines and with the classes of its body. */
export interface PageClaims {
  /** It is one text: lists in it are further reading. */
  readonly isArticle: boolean;
  /** It is one text, according to a claim that pages of lists make too. */
  readonly isSharedAsArticle: boolean;
  /** It is one thing that can be bought. */
  readonly isProduct: boolean;
  /** It is one thing that can be bought, according to a claim that categories of shops make too. */
  readonly isSharedAsProduct: boolean;
  /** It is a category of a shop, or another list. */
  readonly isCollection: boolean;
}

const articleType = /(?:article|blogposting|report)$/;
const articleMicrodata = /schema\.org\/\w*(?:Article|BlogPosting)$/;

/** WordPress says with classes of the body whether it shows one post or many. */
const archiveClass = /^(?:archive|category|tag|blog|search-results|post-type-archive|tax-[\w-]+)$/;

const productMicrodata = /schema\.org\/(?:Individual)?Product$/;

export function readClaims({ body, structured }: PageFacts): PageClaims {
  const { types } = structured;
  const isCollection =
    types.has("itemlist") ||
    types.has("collectionpage") ||
    types.has("og:product.group") ||
    classTokens(body).some((token) => archiveClass.test(token));
  const saysArticle = [...types].some((type) => !type.startsWith("og:") && articleType.test(type));
  const { articles, products } = countMicrodata(body);
  const isProduct = types.has("product") && products < 3 && !saysArticle;
  const isSinglePost = classTokens(body).includes("single") && !types.has("product");
  return {
    isArticle: isSinglePost || (saysArticle && !isCollection && articles < 2),
    isSharedAsArticle: types.has("og:article"),
    isProduct,
    isSharedAsProduct: types.has("og:product") && !saysArticle,
    isCollection,
  };
}

/** A blog marks each of the posts that its front page lists as an article; a shop does so with its goods. */
function countMicrodata(body: PageFacts["body"]): { articles: number; products: number } {
  let articles = 0;
  let products = 0;
  walkElements(body, ({ attribs }) => {
    const type = attribs["itemtype"] ?? "";
    if (articleMicrodata.test(type)) articles++;
    if (productMicrodata.test(type)) products++;
    return "into";
  });
  return { articles, products };
}
