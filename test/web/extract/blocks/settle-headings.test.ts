import { describe, expect, test } from "bun:test";

import { settleHeadings } from "../../../../src/web/extract/blocks/settle-headings.ts";
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
      "a title is its own matter",
      "<h1>Title</h1><p>Text</p>",
      [0.2, 1],
      [false, true],
      [false, true],
    ],
  ])("%s", (_, html, opinions, isKept, expected) => {
    const { blocks } = pageBlocks(html);
    expect(settleHeadings(blocks, opinions, isKept)).toEqual(expected);
  });
});
