import { describe, expect, test } from "bun:test";

import { markdownOf } from "./markdown-of.ts";

const row = (name: string, html: string, ...lines: string[]): [string, string, string] => [
  name,
  html,
  lines.join("\n"),
];

describe("headings", () => {
  test.each([
    row("levels", "<h1>A</h1><h6>B</h6>", "# A", "", "###### B"),
    row(
      "Sphinx, with its sign",
      "<h2>A<a class=headerlink href='#a' title='Link'>¶</a></h2>",
      "## A",
    ),
    row(
      "Docusaurus",
      "<h3>A<a class=hash-link href='#a' aria-label='Direct link to A'>\u200b</a></h3>",
      "### A",
    ),
    row("GitHub", "<h2><a class=anchor href='#a'><svg></svg></a>A</h2>", "## A"),
    row("VitePress", "<h2>A <a class=header-anchor href='#a'>#</a></h2>", "## A"),
    row(
      "rustdoc and mdBook",
      "<h2><a href='#a'>§</a>A</h2><h3><a class=header href='#b'>B</a></h3>",
      "## A",
      "",
      "### B",
    ),
    row(
      "wikis without their links for editing",
      "<h2>A <span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>",
      "## A",
    ),
    row("links to elsewhere stay", "<h2><a href=/x>A</a></h2>", "## [A](https://ex.org/x)"),
    row("on one line", "<h2>A<br>b <div>c</div></h2>", "## A b c"),
    row("by role", "<div role=heading aria-level=3>A</div>", "### A"),
    row("empty ones vanish", "<h2> <a class=headerlink href='#a'>¶</a></h2>x", "x"),
    row("C# is no closing sign", "<h2>C#</h2><h2>a #</h2>", "## C#", "", "## a \\#"),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("lists", () => {
  test.each([
    row(
      "nested",
      "<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>",
      "- a",
      "  - b",
      "    1. c",
      "- d",
    ),
    row(
      "nested without an item around",
      "<ul><li>a<ul><li>b</ul></ul><ul><li>c</li><ul><li>d</li></ul></ul>",
      "- a",
      "  - b",
      "",
      "* c",
      "  - d",
    ),
    row("numbers go on from their start", "<ol start=9><li>a<li>b</ol>", "9. a", "10. b"),
    row("items of several blocks", "<ol><li><p>a<p>b<li>c</ol>", "1. a", "", "   b", "", "2. c"),
    row(
      "tasks",
      "<ul><li><input type=checkbox checked disabled> a<li><label><input type=checkbox> b</label></ul>",
      "- [x] a",
      "- [ ] b",
    ),
    row(
      "code in an item keeps the indent",
      "<ul><li>a<pre>x\n  y</pre></ul>",
      "- a",
      "",
      "  ```",
      "  x",
      "    y",
      "  ```",
    ),
    row("empty items vanish", "<ul><li><li>a<li> </ul>", "- a"),
    row("items without a list", "<div><li>a</div>", "- a"),
    row("side by side", "<ul><li>a</ul><ul><li>b</ul>", "- a", "", "* b"),
    row(
      "of sections are the sections",
      "<ul><li><section><h2>A</h2><p>b</p></section></li><li><h2>C</h2><ul><li>d</ul></li></ul>",
      "## A",
      "",
      "b",
      "",
      "## C",
      "",
      "- d",
    ),
    row("but numbered ones", "<ol><li><h2>A</h2>b</li></ol>", "1. ## A", "", "   b"),
    row("nor when an item is none", "<ul><li><h2>A</h2></li><li>b</li></ul>", "- ## A", "", "- b"),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("definition lists", () => {
  test.each([
    row("short ones", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "- **a**  ", "  b", "- **c**  ", "  d"),
    row("several definitions", "<dl><dt>a<dd>b<dd>c</dl>", "- **a**", "", "  b", "", "  c"),
    row("several terms", "<dl><dt>a<dt>b<dd>c</dl>", "- **a**", "- **b**  ", "  c"),
    row(
      "declarations of several lines",
      "<dl><dt><pre>proc f(a: int;\n       b: int)</pre></dt><dd>x</dd></dl>",
      "- ```",
      "  proc f(a: int;",
      "         b: int)",
      "  ```",
      "",
      "  x",
    ),
    row("grouped by div", "<dl><div><dt>a</dt><dd>b</dd></div></dl>", "- **a**  ", "  b"),
    row(
      "declarations of Sphinx are code",
      "<dl><dt class='sig sig-object py'><span>f</span>(<em>*</em>, <em>a_b</em>)<a class=headerlink href='#f'>¶</a></dt><dd><p>x</p></dd></dl>",
      "- `f(*, a_b)`  ",
      "  x",
    ),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("quotes and admonitions", () => {
  test.each([
    row("a quote", "<blockquote><p>a<p>b</blockquote>", "> a", ">", "> b"),
    row("nested", "<blockquote>a<blockquote>b</blockquote></blockquote>", "> a", ">", "> > b"),
    row(
      "code stands outside",
      "<blockquote>a<pre>x</pre>b</blockquote>",
      "> a",
      "",
      "```",
      "x",
      "```",
      "",
      "> b",
    ),
    row(
      "Sphinx and MkDocs",
      "<div class='admonition note'><p class=admonition-title>Note</p><p>a</p></div>",
      "> **Note**",
      ">",
      "> a",
    ),
    row(
      "Docusaurus",
      "<div class='theme-admonition theme-admonition-tip alert alert--success'><div class='admonitionHeading_x1'><span class=admonitionIcon><svg></svg></span>tip</div><div class=admonitionContent><p>a</p></div></div>",
      "> **tip**",
      ">",
      "> a",
    ),
    row(
      "GitHub",
      "<div class='markdown-alert markdown-alert-warning'><p class=markdown-alert-title><svg></svg>Warning</p><p>a</p></div>",
      "> **Warning**",
      ">",
      "> a",
    ),
    row(
      "VitePress",
      "<div class='custom-block tip'><p class=custom-block-title>TIP</p><p>a</p></div>",
      "> **TIP**",
      ">",
      "> a",
    ),
    row(
      "Asciidoctor",
      "<div class='admonitionblock note'><table><tr><td class=icon><i class='fa icon-note' title=Note></i></td><td class=content>a</td></tr></table></div>",
      "> **Note**",
      ">",
      "> a",
    ),
    row(
      "Starlight",
      "<aside class='starlight-aside starlight-aside--caution'><p class=starlight-aside__title>Caution</p><section><p>a</p></section></aside>",
      "> **Caution**",
      ">",
      "> a",
    ),
    row(
      "MDN, without a title of its own",
      "<div class='notecard warning'><p><strong>Warning:</strong> a</p></div>",
      "> **Warning:** a",
    ),
    row(
      "a section that is called a note is none",
      "<section class=note><h4 id=x>T</h4><p>a</p></section>",
      "#### T",
      "",
      "a",
    ),
    row("folded away", "<details><summary>More</summary><p>a</p></details>", "**More**", "", "a"),
    row(
      "folded away behind a heading",
      "<details><summary><h4>T</h4></summary>a</details>",
      "#### T",
      "",
      "a",
    ),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("footnotes", () => {
  test.each([
    row(
      "Markdown's own kind",
      "<p>a<sup id=r1><a href='#fn1' class=footnote-ref>1</a></sup></p><section class=footnotes><ol><li id=fn1><p>note <a href='#r1' class=footnote-backref>↩</a></p></li></ol></section>",
      "a[^1]",
      "",
      "[^1]: note",
    ),
    row(
      "Wikipedia",
      "<p>a<sup class=reference><a href='#cite_note-x-1'>[1]</a></sup></p><ol class=references><li id='cite_note-x-1'><b><a href='#cite_ref-1'>^</a></b> source</li></ol>",
      "a[^1]",
      "",
      "[^1]: source",
    ),
    row(
      "Sphinx",
      "<p>a <a class='footnote-reference brackets' href='#id2'>2</a></p><aside class='footnote brackets' id=id2><span class=label>[2]</span><p>note</p></aside>",
      "a [^2]",
      "",

      "[^2]: note",
    ),
    row(
      "links to other parts of the page are links",
      "<p><a class='reference internal' href='#s'>S</a><div id=s>x</div>",
      "[S](https://ex.org/dir/page#s)",
      "",
      "x",
    ),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("tables", () => {
  test.each([
    row(
      "of javadoc, whose cells have no rows",
      "<div class='summary-table two-column-summary'><div class='table-header col-first'>Name</div><div class='table-header col-last'>What</div>" +
        "<div class='col-first even-row-color'><code>a()</code></div><div class='col-last even-row-color'><div class=block>One.</div></div>" +
        "<div class='col-first odd-row-color'><code>b()</code></div><div class='col-last odd-row-color'>&nbsp;</div></div>",
      "| Name | What |",
      "| --- | --- |",
      "| `a()` | One. |",
      "| `b()` |  |",
    ),
    row(
      "of parts with roles",
      "<div role=table><div role=rowgroup><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div></div>" +
        "<div role=rowgroup><div role=row><span role=cell>1</span><span role=cell>2</span></div></div></div>",
      "| A | B |",
      "| --- | --- |",
      "| 1 | 2 |",
    ),
    row("but not of a role alone", "<div role=table><p>a</p></div>", "a"),
    row(
      "names over names",
      "<table><tr><th rowspan=2>A<th colspan=2>B<tr><th>x<th>y<tr><td>1<td>2<td>3</table>",
      "| A | B x | B y |",
      "| --- | --- | --- |",
      "| 1 | 2 | 3 |",
    ),
    row(
      "a row that names those below it is no header",
      "<table><tr><th>A<th>B<tr><th colspan=2>Part<tr><td>1<td>2</table>",
      "| A | B |",
      "| --- | --- |",
      "| Part |  |",
      "| 1 | 2 |",
    ),
    row(
      "with a head",
      "<table><thead><tr><th>A<th>B</thead><tr><td>1<td>2</table>",
      "| A | B |",
      "| --- | --- |",
      "| 1 | 2 |",
    ),
    row(
      "with a first row of header cells",
      "<table><tr><th>A<th>B<tr><th>x<td>2</table>",
      "| A | B |",
      "| --- | --- |",
      "| x | 2 |",
    ),
    row(
      "without a header",
      "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
      "|  |  |",
      "| --- | --- |",
      "| 1 | 2 |",
      "| 3 | 4 |",
    ),
    row(
      "pipes and line breaks",
      "<table><tr><th>A<th>B<tr><td>a|b<br>c<td><code>x|y</code></table>",
      "| A | B |",
      "| --- | --- |",
      "| a\\|b<br>c | `x\\|y` |",
    ),
    row(
      "lists and paragraphs in cells",
      "<table><tr><th>A<th>B<tr><td><p>a<p>b<td><ul><li>c<li>d</ul></table>",
      "| A | B |",
      "| --- | --- |",
      "| a<br>b | • c<br>• d |",
    ),
    row(
      "cells over columns and rows",
      "<table><tr><th colspan=2>A<th>B<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
      "| A |  | B |",
      "| --- | --- | --- |",
      "| 1 | 2 | 3 |",
      "| 1 | 4 | 5 |",
    ),
    row(
      "heads of two rows",
      "<table><thead><tr><th>A<th>B<tr><th>a<th>b</thead><tr><td>1<td>2</table>",
      "| A a | B b |",
      "| --- | --- |",
      "| 1 | 2 |",
    ),
    row(
      "alignment",
      "<table><tr><th>A<th>B<tr><td align=right>1<td style='text-align: center'>2</table>",
      "| A | B |",
      "| --: | :-: |",
      "| 1 | 2 |",
    ),
    row(
      "a caption",
      "<table><caption>C</caption><tr><th>A<th>B<tr><td>1<td>2</table>",
      "C",
      "",
      "| A | B |",
      "| --- | --- |",
      "| 1 | 2 |",
    ),
    row(
      "code of several lines makes it a list",
      "<table><tr><th>A<th>B<tr><td>1<td><pre>x\ny</pre></table>",
      "- A: 1",
      "",
      "  B:",
      "",
      "  ```",
      "  x",
      "  y",
      "  ```",
    ),
    row(
      "tables that arrange the page vanish",
      "<table role=presentation><tr><td>a<td>b</table><table><tr><td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>",
      "a",
      "",
      "b",
      "",
      "| A | B |",
      "| --- | --- |",
      "| 1 | 2 |",
    ),
    row(
      "empty rows and cells",
      "<table><tr><th>A<th>B<tr><td><td><tr><td>1</table>",
      "| A | B |",
      "| --- | --- |",
      "| 1 |  |",
    ),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  test("claims of thousands of columns and rows are bounded", () => {
    const cells = "<td colspan=60000 rowspan=65534>x".repeat(50);
    expect(
      markdownOf(`<table><tr><th>A${cells}${"<tr><td>y".repeat(500)}</table>`).length,
    ).toBeLessThan(500_000);
  });
});

describe("paragraphs and rules", () => {
  test.each([
    row(
      "cards are links",
      "<a href=/x><div><img src=/t.png alt=T><p>a<br>[b]</p></div></a>",
      "![T](https://ex.org/t.png)",
      "",
      "[a \\[b\\]](https://ex.org/x)",
    ),
    row(
      "cards of a picture alone",
      "<a href=/x><div><img src=/t.png alt=T></div></a>",
      "[![T](https://ex.org/t.png)](https://ex.org/x)",
    ),
    row("labels side by side", "<label>a</label><label>b</label><button>c</button>", "a b c"),
    row(
      "lines that would make a table of those before",
      "a | b<br>--- | ---",
      "a | b  ",
      "\\--- | ---",
    ),
    row("blocks in running text", "a<div>b</div>c <p>d</p>", "a", "", "b", "", "c", "", "d"),
    row("blocks inside of elements for text", "<span>a<p>b</p></span>", "a", "", "b"),
    row("a rule", "a<hr>b", "a", "", "---", "", "b"),
    row(
      "buttons that copy and lines of generators",
      "<p>a</p><button>Copy</button><div>Edit this page</div><p>Was this page helpful?</p>",
      "a",
    ),
    row("an empty page", "<!doctype html>", ""),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});
