import { walkElements } from "../../dom/walk.ts";
import type { PageFacts } from "../page-facts.ts";
import { classTokens } from "./element-pattern.ts";

/** The kind that a page claims to be, to search engines and with the classes of its body. */
export interface PageClaims {
  /** It is one text: lists in it are what else there is to read. */
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
