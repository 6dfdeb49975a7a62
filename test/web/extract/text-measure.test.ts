import { describe, expect, test } from "bun:test";

import { parseHtml, findElement } from "../../../src/web/dom/parse-html.ts";
import { measureText } from "../../../src/web/extract/text-measure.ts";

describe("measureText()", () => {
  test.each([
    ["text", "<p>one two.</p>", { chars: 8, linkChars: 0, links: 0, stops: 1 }],
    [
      "white space counts once, at the edges too",
      "<p>\n  one   two  \n</p>",
      { chars: 8, linkChars: 0, links: 0, stops: 0 },
    ],
    [
      "links",
      "<p>see <a href=x>this</a>, <a href=y>that</a></p>",
      { chars: 12, linkChars: 8, links: 2, stops: 1 },
    ],
    [
      "a link without text is none",
      "<p>a<a href=x><img></a></p>",
      { chars: 1, linkChars: 0, links: 0, stops: 0 },
    ],
    [
      "stops of other scripts",
      "<p>一。二、三，</p>",
      { chars: 6, linkChars: 0, links: 0, stops: 3 },
    ],
    ["nothing", "<p></p>", { chars: 0, linkChars: 0, links: 0, stops: 0 }],
  ])("%s", (_, html, expected) => {
    const document = parseHtml(html);
    const element = findElement(document, ({ name }) => name === "p");
    const measure = element === undefined ? undefined : measureText(document).get(element);
    expect(measure).toEqual(expected);
  });
});
