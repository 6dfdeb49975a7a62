import { walkElements } from "../../dom/walk.ts";
import type { PageFacts } from "../page-facts.ts";
import { classTokens } from "./element-pattern.ts";

/** What a page says that it is, to search engines and with the classes of its body. */
export interface PageClaims {
  /** It is one text: lists in it are what else there is to read. */
  readonly isArticle: boolean;
  /** It is one text, according to a claim that pages of lists make too. */
  readonly isSharedAsArticle: boolean;
  /** It is one thing that can be bought. */
  readonly isProduct: boolean;
  /** It is a category of a shop, or another list. */
  readonly isCollection: boolean;
}

const articleType = /(?:article|blogposting|report)$/;
const articleMicrodata = /schema\.org\/\w*(?:Article|BlogPosting)$/;

/** WordPress says with classes of the body whether it shows one post or many. */
const archiveClass = /^(?:archive|category|tag|blog|search-results|post-type-archive|tax-[\w-]+)$/;

export function readClaims({ body, structured }: PageFacts): PageClaims {
  const { types } = structured;
  const isCollection =
    types.has("itemlist") ||
    types.has("collectionpage") ||
    types.has("og:product.group") ||
    classTokens(body).some((token) => archiveClass.test(token));
  const saysArticle = [...types].some((type) => !type.startsWith("og:") && articleType.test(type));
  const isSinglePost = classTokens(body).includes("single");
  return {
    isArticle: isSinglePost || (saysArticle && !isCollection && countArticles(body) < 2),
    isSharedAsArticle: types.has("og:article"),
    isProduct: types.has("product") || types.has("og:product"),
    isCollection,
  };
}

/** A blog marks each of the posts that its front page lists as an article. */
function countArticles(body: PageFacts["body"]): number {
  let count = 0;
  walkElements(body, ({ attribs }) => {
    if (articleMicrodata.test(attribs["itemtype"] ?? "")) count++;
    return "into";
  });
  return count;
}
