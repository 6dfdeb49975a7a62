import { expect, test } from "bun:test";
import { isTag } from "domhandler";

import { parseHtml, type HtmlElement, findElement } from "../../../../src/web/dom/parse-html.ts";
import { matchesPattern, parsePattern } from "../../../../src/web/extract/kinds/element-pattern.ts";

function elementOf(html: string): HtmlElement {
  const body = findElement(parseHtml(html), ({ name }) => name === "body");
  const element = body?.children.find(isTag);
  if (element === undefined) throw new Error(`No element in ${html}`);
  return element;
}

const post = elementOf(
  `<div id="post_7" class="post  odd" data-author="Ada" itemprop="text">x</div>`,
);

test.each<[pattern: string, matches: boolean]>([
  ["div", true],
  ["li", false],
  [".post", true],
  [".pos", false],
  ["div.post.odd", true],
  [".post.even", false],
  ["#post_7", true],
  ["#post_8", false],
  ["[data-author]", true],
  ["[data-owner]", false],
  ["[itemprop=text]", true],
  ["[itemprop=tex]", false],
  ["div[id^=post_].odd", true],
  ["[id^=ost_]", false],
  ["[id$=_7]", true],
  ["[id$=_]", false],
  ['[id*="st_"]', true],
  ["[id*=sts]", false],
])("matchesPattern() of %s is %p", (pattern, matches) => {
  expect(matchesPattern(post, parsePattern(pattern))).toBe(matches);
});

test.each(["div p", "a > b", ":first-child", ".", "div,p"])(
  "parsePattern() refuses %p, which is no compound selector",
  (selector) => {
    expect(() => parsePattern(selector)).toThrow(`Not a pattern: ${selector}`);
  },
);
