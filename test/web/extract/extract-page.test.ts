import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { AppError } from "../../../src/base/errors.ts";
import { lineText } from "../../../src/web/dom/element.ts";
import { extractPage } from "../../../src/web/extract/extract-page.ts";
import { toMarkdown } from "../../../src/web/markdown/to-markdown.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const url = "https://example.org/news/2026/rivers";
const paragraphs = [
  "Rivers bend because water erodes the outer bank faster than the inner one, and the difference grows with every flood.",
  "In the plains, where the slope is gentle, a river can move several metres a year, and old maps show beds that are fields today.",
  "Engineers have straightened many of them, which shortened the way of ships, but it also made floods higher further down.",
  "Today some of these works are undone: the river gets its old bends back, and with them come meadows, birds and fish.",
  "The costs are considerable, the authors say, yet the damage of a single flood is often larger than all of them together.",
];
const nav = `<header class="site-header"><nav class="main-nav"><ul>${["Home", "World", "Business", "Sport", "Culture"].map((name) => `<li><a href="/${name}">${name}</a></li>`).join("")}</ul></nav></header>`;
const footer = `<footer class="site-footer"><ul><li><a href="/privacy">Privacy policy</a></li><li><a href="/terms">Terms of use</a></li></ul><p>© 2026 Example Media. All rights reserved.</p></footer>`;
const related = `<aside class="related-articles"><h3>Related stories</h3><ul>${[1, 2, 3, 4].map((number) => `<li class="card"><a href="/story-${number}">Another story number ${number}</a></li>`).join("")}</ul></aside>`;
const share = `<div class="share-buttons"><a href="#">Share on Facebook</a> <a href="#">Tweet</a></div>`;
const news = `<!doctype html><html lang="en"><head><title>How rivers bend | Example</title><meta property="og:type" content="article"></head><body>${nav}<main><article class="post"><h1>How rivers bend</h1>${share}<div class="article-body">${paragraphs.map((text) => `<p>${text}</p>`).join("")}</div></article>${related}</main>${footer}</body></html>`;

const docs = `<!doctype html><html lang="en"><head><title>Installing — Tool documentation</title></head><body>
<div class="navbar"><a href="/">Tool</a><a href="/search">Search</a></div>
<nav class="sidebar toc"><ul><li><a href="a">Introduction</a><li><a href="b">Installing</a><li><a href="c">Configuration</a></ul></nav>
<main><div class="document" role="main"><h1>Installing<a class="headerlink" href="#i">¶</a></h1>
<p>This page describes how the tool is installed on a server, and which versions of the runtime it needs.</p>
<h2>Requirements</h2><p>You need version 3.9 or later of the runtime, and a compiler for the extension modules.</p>
<table class="docutils"><thead><tr><th>System</th><th>Package</th></tr></thead><tbody><tr><td>Debian</td><td>tool-dev</td></tr><tr><td>Fedora</td><td>tool-devel</td></tr></tbody></table>
<h2>Steps</h2><p>Run the following command in the directory of your project, and wait until it has finished:</p>
<div class="highlight-bash notranslate"><div class="highlight"><pre><span></span>tool install --user
tool check</pre></div></div>
<p>The second command prints what is missing, if anything is, and exits with an error in that case.</p></div></main>
<footer><p>© Copyright 2026, the authors. Created using Sphinx.</p></footer></body></html>`;

describe("extractPage()", () => {
  test("of an article: its paragraphs and nothing else", async () => {
    const extraction = await extractPage(news, url);
    expect({
      title: extraction.title,
      language: extraction.language,
      baseUrl: extraction.baseUrl,
      textChars: extraction.textChars,
      markdown: toMarkdown(extraction).trim(),
    }).toEqual({
      title: "How rivers bend",
      language: "en",
      baseUrl: url,
      textChars: lineText(extraction.root).length,
      markdown: paragraphs.join("\n\n"),
    });
  });

  test("of documentation: headings, code and tables with the text", async () => {
    const markdown = toMarkdown(await extractPage(docs, "https://docs.example.org/install"));
    expect(markdown).toContain("## Requirements");
    expect(markdown).toContain("```bash\ntool install --user\ntool check\n```");
    expect(markdown).toMatch(/\| Debian +\| tool-dev +\|/);
    expect(markdown).toContain("prints what is missing");
    expect(markdown).not.toMatch(/Configuration|Copyright|Search/);
  });

  test("resolves against the base of the page", async () => {
    const html = news.replace("<head>", '<head><base href="/other/">');
    expect((await extractPage(html, url)).baseUrl).toBe("https://example.org/other/");
  });

  test.each([
    ["nothing", ""],
    ["white space", " \n "],
    ["a page of frames", "<frameset><frame src=a></frameset>"],
    ["nothing that is shown", "<script>x</script><p hidden>no</p><!-- no -->"],
  ])("of %s is empty", async (_, html) => {
    const { textChars, root, title } = await extractPage(html, url);
    expect({ textChars, title, text: lineText(root) }).toEqual({
      textChars: 0,
      title: "",
      text: "",
    });
  });

  test.each([
    ["50,000 elements in each other", "<div>".repeat(50_000)],
    ["text between each of them", "<span>a <div>b ".repeat(10_000)],
    ["a list without end", `<ul>${"<li><a href=x>y</a>".repeat(30_000)}</ul>`],
    ["a table without end", `<table>${"<tr><td>1<td>2<td>3".repeat(15_000)}</table>`],
    ["headings without end", "<h2>Heading</h2>".repeat(30_000)],
    ["names without end", `<p class="${"share nav ".repeat(100_000)}">text</p>`],
    ["one word of a megabyte", `<p>${"x".repeat(1_000_000)}</p>`],
    ["tags that never close", "<p".repeat(100_000)],
  ])("takes %s", async (_, html) => {
    const extraction = await extractPage(html, url);
    expect(extraction.textChars).toBe(lineText(extraction.root).length);
  });

  test("refuses only what no tree can be made of", async () => {
    const html = Array.from({ length: 5_000 }, (_, index) => `<p><b class=c${index}>`).join("");
    expect(await extractPage(html, url).catch((error: unknown) => error)).toBeInstanceOf(AppError);
  });

  test("takes whatever tags there are, in whatever order", async () => {
    const tag = fc.constantFrom(
      ..."div p span a b ul li table tr td th h1 h2 pre code article main nav section body html head form select svg math template noscript script details summary dl dt dd img br blockquote figure button".split(
        " ",
      ),
    );
    const attribute = fc.constantFrom(
      "",
      " class='content'",
      " class=share",
      " hidden",
      " href='x'",
      " role=main",
      " id=comments",
      " itemscope itemtype='https://schema.org/Product'",
    );
    const piece = fc.oneof(
      fc.tuple(tag, attribute).map(([name, attributes]) => `<${name}${attributes}>`),
      tag.map((name) => `</${name}>`),
      fc.string(),
      fc.constant(paragraphs[0] ?? ""),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const extraction = await extractPage(pieces.join(""), url);
        toMarkdown(extraction);
        return extraction.textChars === lineText(extraction.root).length;
      }),
      { numRuns: shareOf(150) },
    );
  });
});
