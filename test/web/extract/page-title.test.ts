import { describe, expect, test } from "bun:test";

import { parseHtml } from "../../../src/web/dom/parse-html.ts";
import { findPageTitle } from "../../../src/web/extract/page-facts.ts";

describe("findPageTitle()", () => {
  test.each([
    [
      "the heading that the title repeats",
      "<title>How rivers bend | The Example</title><h1>The Example</h1><h1>How rivers bend</h1>",
      "How rivers bend",
    ],
    [
      "as the heading is written",
      "<title>HOW RIVERS BEND - Example</title><h1>How rivers bend</h1>",
      "How rivers bend",
    ],
    [
      "without the name of the site",
      "<meta property=og:site_name content='The Example'><title>How rivers bend — The Example</title>",
      "How rivers bend",
    ],
    [
      "without what follows a long first part",
      "<title>How rivers bend | Example</title>",
      "How rivers bend",
    ],
    [
      "whole, when the first part is a word or two",
      "<title>Rivers | A guide to them</title>",
      "Rivers | A guide to them",
    ],
    [
      "of OpenGraph before that of the browser",
      "<title>Example</title><meta property=og:title content='How rivers bend'>",
      "How rivers bend",
    ],
    ["the only heading, when there is no title", "<h1>How rivers bend</h1>", "How rivers bend"],
    [
      "a hyphen within a word is no separator",
      "<title>Well-known rivers of the world</title>",
      "Well-known rivers of the world",
    ],
    [
      "without the sign for a link to the heading",
      "<title>How rivers bend | Example</title><h1>How rivers bend<a class=headerlink href='#bend'>¶</a></h1>",
      "How rivers bend",
    ],
    [
      "with a sign that belongs to it",
      "<title>Learning C# | Example</title><h1><a href='/learn#start'>Learning</a> C#</h1>",
      "Learning C#",
    ],
    ["none", "<p>text</p>", ""],
  ])("%s", (_, html, expected) => {
    expect(findPageTitle(parseHtml(html))).toBe(expected);
  });

  test("is at most 300 characters long, about", () => {
    const title = findPageTitle(parseHtml(`<title>${"word ".repeat(10_000)}</title>`));
    expect(title.length).toBeLessThan(100_000);
  });
});
