import { isText } from "domhandler";
import type { RawResult } from "../engine.ts";
import type { Page } from "../pages/page.ts";
import { plainText } from "../pages/plain-text.ts";
import { isoDate, webUrl } from "../pages/web-url.ts";

/**
 * The results of `format=rss`, known from other programs only. An HTML parser reads the feed well enough, but for
 * `link`, which is an empty element to it: the address is the text that follows.
 */
export async function bingFeedResults(page: Page): Promise<RawResult[]> {
  const found: RawResult[] = [];
  for (const item of page.all("rss > channel > item")) {
    const after = page.first("link", item)?.next;
    const url = webUrl(after && isText(after) ? after.data : undefined);
    if (url === undefined) continue;
    const date = isoDate(page.text(page.first("pubdate", item)));
    found.push({
      title: await plainText(page.text(page.first("title", item))),
      url,
      snippet: await plainText(page.text(page.first("description", item))),
      ...(date === undefined ? {} : { date }),
    });
  }
  return found;
}
