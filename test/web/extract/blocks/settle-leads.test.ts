import { describe, expect, test } from "bun:test";

import { settleLeads } from "../../../../src/web/extract/blocks/keep-blocks.ts";
import { pageBlocks } from "./page-blocks.ts";

describe("settleLeads()", () => {
  test.each([
    [
      "the title of a note is kept with its text",
      "<div class='admonition warning'><p class=admonition-title>Warning</p><p>Text</p></div>",
      [true, true],
    ],
    [
      "however it is wrapped",
      "<div class='admonition tip'><div class=admonition-heading><h5>Tip</h5></div><div><p>Text</p></div></div>",
      [true, true],
    ],
    [
      "but not without it",
      "<div class='admonition note'><p class=admonition-title>Note</p><p>other</p></div><p>Text</p>",
      [false, false, true],
    ],
    [
      "terms are kept with what they mean",
      "<dl><dt>one</dt><dt>two</dt><dd><p>Text</p></dd><dt>three</dt><dd>other</dd></dl>",
      [true, true, true, false, false],
    ],
    ["other paragraphs are not", "<div><p>before</p><p>Text</p></div>", [false, true]],
    ["nor is a term of another list", "<dl><dt>one</dt></dl><p>Text</p>", [false, true]],
  ])("%s", (_, html, expected) => {
    const { blocks } = pageBlocks(html);
    const isKept = blocks.map(({ text }) => text === "Text");
    expect(settleLeads(blocks, isKept)).toEqual(expected);
  });
});
