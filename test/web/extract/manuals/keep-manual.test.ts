import { describe, expect, test } from "bun:test";

import { keepBlocks } from "../../../../src/web/extract/blocks/keep-blocks.ts";
import { findManual } from "../../../../src/web/extract/manuals/find-manual.ts";
import { keepManual } from "../../../../src/web/extract/manuals/keep-manual.ts";
import { pageBlocks } from "../blocks/page-blocks.ts";
import { shownLines } from "../kinds/shown-lines.ts";

/** The lines of a page that are kept of it as a manual; undefined when it is none. */
function manualLines(html: string): string[] | undefined {
  const { page, blocks } = pageBlocks(html);
  const manual = findManual(page);
  const weights = blocks.map(({ chars, linkChars }) => chars - linkChars);
  const kept = manual === undefined ? undefined : keepManual(manual, blocks, weights);
  return kept === undefined ? undefined : shownLines(keepBlocks(page.body, blocks, kept));
}

function generator(name: string): string {
  return `<meta name=generator content="${name}">`;
}

describe("keepManual()", () => {
  test.each([
    [
      "Sphinx",
      "<link rel=stylesheet href='../_static/pygments.css?v=1'>",
      "<div class=related>up</div><div class=body role=main><h1>T</h1><p>Text.</p><div class=related>next</div></div>",
      ["T", "Text."],
    ],
    [
      "Sphinx with a theme that names no body",
      "<script src='_static/documentation_options.js'></script>",
      "<div class=yui><div class=section><h1>T</h1><div class=section><p>Text.</p></div></div></div>",
      ["T", "Text."],
    ],
    [
      "rustdoc",
      generator("rustdoc"),
      "<nav>Vec</nav><main><section id=main-content><h1>Struct Vec<span class=out-of-band>source</span></h1><p>Text.</p></section></main>",
      ["Struct Vec", "Text."],
    ],
    [
      "mdBook, with the lines of code that it folds",
      "<link rel=stylesheet href='ayu-highlight-a1b2.css'>",
      "<p>Before.</p><main><h1>T</h1><p>Text.</p><pre><div class=buttons>Copy</div><code><span class=boring>fn main() {</span>shown();</code></pre></main>",
      ["T", "Text.", "fn main() {", "shown();"],
    ],
    [
      "DocBook",
      generator("DocBook XSL Stylesheets V1.79"),
      "<div class=navheader>Up</div><div class=sect1><h2>T</h2><p>Text.</p></div><div class=navfooter>On</div>",
      ["T", "Text."],
    ],
    [
      "AsciiDoc",
      generator("AsciiDoc 10.2.0"),
      "<div id=header><h1>T</h1><div id=toc>1. Name</div></div><div id=content><p>Text.</p></div><div id=footer>Last updated</div>",
      ["T", "Text."],
    ],
    [
      "Texinfo, all of whose page is text",
      generator("texi2any"),
      "<div class=header>Next: Other</div><h2>T</h2><p>Text.</p>",
      ["T", "Text."],
    ],
  ])("keeps the text of %s", (_, head, body, expected) => {
    const html = `<head>${head}</head><body>${body}`;
    expect(manualLines(html)).toEqual(expected);
  });

  test.each([
    ["of no known generator", "", "<main><p>Text.</p></main>"],
    ["without the element of its generator", generator("rustdoc"), "<div><p>Text.</p></div>"],
    [
      "whose text is little of what is kept otherwise",
      generator("rustdoc"),
      "<main><p>Part.</p></main><p>Text that is much longer than the part in the middle.</p>",
    ],
  ])("is undefined for a page %s", (_, head, body) => {
    const html = `<head>${head}</head><body><p>Before.</p>${body}`;
    expect(manualLines(html)).toBeUndefined();
  });

  test("keeps titles of notes, terms, captions and cells with what they belong to", () => {
    const html =
      "<head><link href=_static/pygments.css></head><body><div class=body>" +
      "<div class='admonition note'><p class=admonition-title>Note</p><p>Text.</p></div>" +
      "<dl><dt>term</dt><dd>What it is.</dd></dl><table><caption>Table 1</caption><tr><td>1<td>2</table>" +
      "</div><footer>Built with it</footer>";
    expect(manualLines(html)).toEqual([
      "Note",
      "Text.",
      "term",
      "What it is.",
      "Table 1",
      "1",
      "2",
    ]);
  });
});
