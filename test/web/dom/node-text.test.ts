import { describe, expect, test } from "bun:test";

import { lineText, nodeText } from "../../../src/web/dom/element.ts";
import { parseHtml } from "../../../src/web/dom/parse-html.ts";

describe("nodeText()", () => {
  test.each([
    ["in the order of the document", "<p>a<b>b<i>c</i></b>d</p>e", undefined, "abcde"],
    ["white space as it stands", "<p>a \n b</p>", undefined, "a \n b"],
    ["comments left out", "<p>a<!-- no -->b</p>", undefined, "ab"],
    ["until there is enough", "<p>abc</p><p>def</p><p>ghi</p>", 4, "abcdef"],
  ])("%s", (_, html, charsMax, expected) => {
    expect(nodeText(parseHtml(html), charsMax)).toBe(expected);
  });
});

test("lineText() collapses white space", () => {
  expect(lineText(parseHtml("<p> a \n\t b </p>\n<p>c"))).toBe("a b c");
});
