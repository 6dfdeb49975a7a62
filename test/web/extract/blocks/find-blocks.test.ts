import { describe, expect, test } from "bun:test";

import { findBlocks } from "../../../../src/web/extract/blocks/find-blocks.ts";
import { readPageFacts } from "../../../../src/web/extract/page-facts.ts";

const blocksOf = (html: string): [string, string][] => {
  const { body, measure } = readPageFacts(html, "https://example.org/");
  return findBlocks(body, measure).map(({ container, text }) => [container.name, text]);
};

describe("findBlocks()", () => {
  test.each<[what: string, html: string, blocks: [string, string][]]>([
    [
      "paragraphs",
      "<p>One.<p>Two.",
      [
        ["p", "One."],
        ["p", "Two."],
      ],
    ],
    [
      "inline elements are part of their block",
      "<p>One <b>two</b> <a href=x>three</a>.",
      [["p", "One two three."]],
    ],
    [
      "text between blocks is a block",
      "<div>One<p>two</p>three</div>",
      [
        ["div", "One"],
        ["p", "two"],
        ["div", "three"],
      ],
    ],
    [
      "an inline element that holds a block holds blocks",
      "<a href=x>One<div>two</div></a>",
      [
        ["a", "One"],
        ["div", "two"],
      ],
    ],
    [
      "items and cells",
      "<ul><li>One<ul><li>two</ul></ul><table><tr><th>a<td>b</table>",
      [
        ["li", "One"],
        ["li", "two"],
        ["th", "a"],
        ["td", "b"],
      ],
    ],
    ["code is one block", "<pre>a\n\nb<div>c</div></pre>", [["pre", "a bc"]]],
    ["elements without text are none", "<p></p><div><img src=x></div><p> </p>", []],
  ])("%s", (_, html, expected) => {
    expect(blocksOf(html)).toEqual(expected);
  });

  test("measures links and stops", () => {
    const { body, measure } = readPageFacts(
      "<p>One, two. <a href=x>Three</a></p>",
      "https://example.org/",
    );
    expect(findBlocks(body, measure).map(({ linkChars, stops }) => ({ linkChars, stops }))).toEqual(
      [{ linkChars: 5, stops: 2 }],
    );
  });
});
