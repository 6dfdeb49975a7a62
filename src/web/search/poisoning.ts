import type { ListedPage } from "./engine-list.ts";
import { tokensOf } from "./query.ts";

/**
 * True when an engine that suspects a bot has sent pages about something else: none of them shares a word with the
 * query in its title, snippet or address. Never true for a query without words of its own.
 */
export function isPoisoned(
  pages: readonly ListedPage[],
  queryTokens: ReadonlySet<string>,
): boolean {
  if (queryTokens.size === 0 || pages.length === 0) return false;
  return !pages.some((page) => sharesToken(page, queryTokens));
}

function sharesToken(
  { title, snippet, url }: ListedPage,
  queryTokens: ReadonlySet<string>,
): boolean {
  const found = tokensOf(`${title} ${snippet} ${readableAddress(url)}`);
  return !found.isDisjointFrom(queryTokens);
}

/** The address with its escapes decoded, as far as they can be. */
function readableAddress({ href }: URL): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
