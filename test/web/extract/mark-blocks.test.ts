import { describe, expect, test } from "bun:test";

import { keptBlocks, writeMarkedHtml } from "../../../src/web/extract/article-vote.ts";
import { pageBlocks } from "./blocks/page-blocks.ts";

describe("writeMarkedHtml()", () => {
  test("marks what has text of its own, and keeps what voters look at", () => {
    const { page, blocks } = pageBlocks(
      `<div class="a b" style="color:red" onclick="x()"><p id=p>One &lt; "two"<br><a href="https://e.org/x">l</a></p><p><a href="#f">f</a></p></div>`,
    );
    expect(writeMarkedHtml(page.body, "A & B", blocks)).toBe(
      "<!doctype html><html><head><title>A &amp; B</title></head>" +
        '<body><div class="a b"><p id="p" data-block="0">One &lt; &quot;two&quot;<br><a href="/">l</a></p>' +
        '<p data-block="1"><a href="#">f</a></p></div></body></html>',
    );
  });
});

describe("keptBlocks()", () => {
  const { blocks } = pageBlocks("<div>One<p>two</p>three</div><p>four</p>");

  test.each([
    ["all runs of an element", '<div data-block="0">x</div>', [true, false, true, false]],
    [
      "several elements",
      '<p data-block="1"></p><p data-block="3"></p>',
      [false, true, false, true],
    ],
    ["marks that are none of ours", '<p data-block="77"></p>', [false, false, false, false]],
    ["nothing", "", [false, false, false, false]],
  ])("%s", (_, html, expected) => {
    expect(keptBlocks(html, blocks)).toEqual(expected);
  });
});
