import type { HtmlElement } from "../../dom/parse-html.ts";
import { classTokens } from "./element-pattern.ts";

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
