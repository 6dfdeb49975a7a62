import { describe, expect, test } from "bun:test";

import { settleHeadings } from "../../../../src/web/extract/blocks/keep-blocks.ts";
import { pageBlocks } from "./page-blocks.ts";

const section = "<h2>Heading</h2><p>Text</p><h2>Next</h2><p>More</p>";

describe("settleHeadings()", () => {
  test.each([
    [
      "a heading is kept with its text",
      section,
      [0.2, 1, 1, 1],
      [false, true, true, true],
      [true, true, true, true],
    ],
    [
      "but not one that is surely something else",
      section,
      [0.01, 1, 1, 1],
      [false, true, true, true],
      [false, true, true, true],
    ],
    [
      "a heading goes with its text",
      section,
      [0.6, 0, 1, 1],
      [true, false, true, true],
      [false, false, true, true],
    ],
    [
      "but not one that is sure",
      section,
      [0.9, 0, 1, 1],
      [true, false, true, true],
      [true, false, true, true],
    ],
    [
      "a heading of headings is kept with them",
      "<h2>A</h2><h3>B</h3><p>Text</p>",
      [0.2, 0.2, 1],
      [false, false, true],
      [true, true, true],
    ],
    [
      "not so one of an empty section",
      "<h2>A</h2><h2>B</h2><p>Text</p>",
      [0.2, 0.2, 1],
      [false, false, true],
      [false, true, true],
    ],
    [
      "a title does not go with what follows it",
      "<h1>Title</h1><p>Text</p>",
      [0.6, 0],
      [true, false],
      [true, false],
    ],
  ])("%s", (_, html, opinions, isKept, expected) => {
    const { blocks } = pageBlocks(html);
    expect(settleHeadings(blocks, opinions, isKept, "Rivers")).toEqual(expected);
  });

  test.each([
    ["a likely title is kept with its text", "<h1>Rivers</h1><p>Text</p>", 0.1, true],
    ["but not one that is surely something else", "<h1>Rivers</h1><p>Text</p>", 0.05, false],
    ["but one that the title of the page does not say", "<h1>Bends</h1><p>Text</p>", 0.05, true],
    [
      "not the name of the site beside the text",
      "<div><h1>Bends</h1></div><p>Text</p>",
      0.05,
      false,
    ],
    ["also above a line or two", "<h1>Bends</h1><p>by</p><p>date</p><p>Text</p>", 0.1, true],
    ["no further", "<h1>Bends</h1><p>by</p><p>date</p><p>more</p><p>Text</p>", 0.1, false],
    ["and only where it says more", "<h1>Rivers</h1><p>by</p><p>Text</p>", 0.1, false],
    ["not above another title", "<h1>Site</h1><h1>Bends</h1><p>Text</p>", 0.1, false],
  ])("%s", (_, html, opinion, expected) => {
    const { blocks } = pageBlocks(html);
    const isKept = blocks.map(({ text }) => text === "Text");
    const opinions = blocks.map(({ text }) => (text === "Text" ? 1 : opinion));
    expect(settleHeadings(blocks, opinions, isKept, "Rivers - Site").at(0)).toBe(expected);
  });
});
