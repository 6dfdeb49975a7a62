import { describe, expect, test } from "bun:test";

import { markdownOf } from "./markdown-of.ts";

const row = (name: string, html: string, markdown: string): [string, string, string] => [
  name,
  html,
  markdown,
];

describe("emphasis", () => {
  test.each([
    row("strong, emphasis, struck out", "<b>a</b> <em>b</em> <del>c</del>", "**a** *b* ~~c~~"),
    row("white space moves out of the marks", "x<b> a </b>y", "x **a** y"),
    row("nested marks", "<b>a <i>b</i></b>", "**a *b***"),
    row("marks of one kind in each other are one", "<b>a <strong>b</strong></b>", "**a b**"),
    row("neighbours of one kind are one", "<b>a</b><b>b</b>", "**ab**"),
    row("inside of words", "un<i>frigging</i>believable", "un*frigging*believable"),
    row("what Markdown would not recognise goes without marks", "<b>a:</b>b", "a:b"),
    row("the same before a space is marked", "<b>a:</b> b", "**a:** b"),
    row("empty and white ones vanish", "a<b></b> <i> </i>b", "a b"),
    row("around a line break in the middle", "<b>a<br>b</b>", "**a**  \n**b**"),
    row("a heading is not strong as well", "<h2><b>T</b></h2>", "## T"),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("text", () => {
  test.each([
    row(
      "words in pieces need no backslash",
      "<p>payment_<wbr>intent a_<p>__init__ _x",
      "payment_intent a_\n\n\\_\\_init\\_\\_ \\_x",
    ),
    row("white space collapses across elements", "a <span> b</span>\n\n c", "a b c"),
    row(
      "signs of Markdown are escaped",
      "*a* _b_ `c` ~~d~~ \\*",
      "\\*a\\* \\_b\\_ \\`c\\` \\~\\~d\\~\\~ \\\\\\*",
    ),
    row(
      "what means nothing stays",
      "snake_case 2 * 3 a - b 50% [1] (x) #1",
      "snake_case 2 * 3 a - b 50% [1] (x) #1",
    ),
    row(
      "text never becomes a tag or an entity",
      "&lt;script> a &lt; b &amp;lt; &amp; AT&amp;T",
      "\\<script> a < b \\&lt; & AT&T",
    ),
    row("nor a tag over two pieces", "&lt;<b></b>script>", "\\<script>"),
    row(
      "text never becomes a link",
      "[a](b) ![c](d)",
      "[a\\](b) !\\[c\\](d)".replace("!\\[", "\\!["),
    ),
    row(
      "lines never become headings, lists, quotes or rules",
      "<p># a<p>- b<p>1. c<p>&gt; d<p>---<p>+ e<p>2) f",
      "\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\---\n\n\\+ e\n\n2\\) f",
    ),
    row(
      "numbers and dashes in lines stay",
      "<p>1.5 is<p>-1<p>#tag<p>2026",
      "1.5 is\n\n-1\n\n#tag\n\n2026",
    ),
    row("a line break is two spaces, two are a new paragraph", "a<br>b<br><br>c", "a  \nb\n\nc"),
    row("what nobody sees goes", "a\u200bb\u202ec\u{e0041}d\u00ade\u0007f", "abcdef"),
    row(
      "joiners that spell stay",
      "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👨‍👩‍👧 a\u200db",
      "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👨‍👩‍👧 ab",
    ),
    row("spaces that do not break are spaces", "a&nbsp;b", "a b"),
    row(
      "raised and lowered",
      "H<sub>2</sub>O x<sup>2</sup> 1<sup>st</sup> Foo<sup>™</sup>",
      "H<sub>2</sub>O x<sup>2</sup> 1st Foo™",
    ),
    row("keys and quotes", "<kbd>Ctrl</kbd>+<kbd>C</kbd> <q>hi</q>", "`Ctrl`+`C` “hi”"),
    row("ruby", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
    row(
      "nothing hidden",
      "a<span hidden>b</span><span style='display: none'>c</span><i aria-hidden=true>d</i><p style='font-size:0'>e</p><span class=sr-only>f</span>",
      "a",
    ),
    row("panels of tabs are a click away", "<div role=tabpanel hidden>b</div>", "b"),
    row(
      "scripts, styles, forms and drawings are no text",
      "a<script>x</script><style>y</style><svg><text>z</text></svg><select><option>q</select><textarea>r</textarea><template>s</template>",
      "a",
    ),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("inline code", () => {
  test.each([
    row("as it is", "<code>a * _b_ &lt;c></code>", "`a * _b_ <c>`"),
    row("with backticks inside", "<code>a`b</code> <code>``x</code>", "``a`b`` ` ``x `"),
    row("in a link", "<a href=/x><code>f()</code></a>", "[`f()`](https://ex.org/x)"),
    row("around a link", "<code><a href=/x>f()</a></code>", "[`f()`](https://ex.org/x)"),
    row("white space moves out", "a<code> b </code>c", "a `b` c"),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("links", () => {
  test.each([
    row(
      "that are their own text",
      "<a href='https://x.org/a_b'>https://x.org/a_b</a> <a href='https://x.org'>https://x.org</a>",
      "<https://x.org/a_b> <https://x.org/>",
    ),
    row("become absolute", "<a href=../a?b=1#c>x</a>", "[x](https://ex.org/a?b=1#c)"),
    row("to a part of the page as well", "<a href=#p>x</a>", "[x](https://ex.org/dir/page#p)"),
    row("white space moves out", "a<a href=/b> c </a>d", "a [c](https://ex.org/b) d"),
    row(
      "spaces and signs in addresses",
      "<a href='/a b(c'>x</a> <a href='/d_(e)'>y</a> <a href='/f|`'>z</a>",
      "[x](https://ex.org/a%20b%28c) [y](https://ex.org/d_(e)) [z](https://ex.org/f%7C%60)",
    ),
    row("brackets in the text", "<a href=/b>a[1]</a>", "[a\\[1\\]](https://ex.org/b)"),
    row(
      "scripts, data and nothing lose the link",
      "<a href='javascript:x'>a</a> <a href='data:,x'>b</a> <a>c</a> <a href=''>d</a> <a href='JaVaScript:x'>e</a>",
      "a b c d e",
    ),
    row(
      "to mail and telephones",
      "<a href='mailto:a@b.c'>m</a> <a href='tel:1'>t</a>",
      "[m](mailto:a@b.c) [t](tel:1)",
    ),
    row("without text vanish", "a<a href=/b></a><a href=/c><svg></svg></a>", "a"),
    row(
      "around a picture",
      "<a href=/b><img src=/i.png alt=I></a>",
      "[![I](https://ex.org/i.png)](https://ex.org/b)",
    ),
    row(
      "around a heading and text",
      "<a href=/b><h3>T</h3><p>more</p></a>",
      "### [T](https://ex.org/b)\n\nmore",
    ),
    row(
      "of signs that look like links to headings",
      "<a href='/b#hash'><code>#</code></a> <a href='#x'>#</a>",
      "[`#`](https://ex.org/b#hash)",
    ),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("media", () => {
  test.each([
    row("a picture", "<img src=i.png alt='A  B'>", "![A B](https://ex.org/dir/i.png)"),
    row(
      "a lazy one",
      "<img src='data:image/gif;base64,R0' data-src=/real.jpg alt=a>",
      "![a](https://ex.org/real.jpg)",
    ),
    row(
      "behind a placeholder",
      "<img src=/img/placeholder.gif data-original=/r.jpg alt=a>",
      "![a](https://ex.org/r.jpg)",
    ),
    row(
      "the largest of a set",
      "<img srcset='/s.jpg 1x, /l.jpg 2x' alt=a>",
      "![a](https://ex.org/l.jpg)",
    ),
    row(
      "of a picture element",
      "<picture><source srcset='/s.webp 300w, /l.webp 900w'><img alt=a></picture>",
      "![a](https://ex.org/l.webp)",
    ),
    row(
      "only once with its copy for readers without scripts",
      "<img data-src=/r.jpg alt=a><noscript><img src=/r.jpg alt=a></noscript>",
      "![a](https://ex.org/r.jpg)",
    ),
    row(
      "data and trackers are left out",
      "a<img src='data:,x' alt=d><img src=/t.gif width=1 height=1>",
      "a",
    ),
    row(
      "with its caption",
      "<figure><img src=/i.png alt=I><figcaption>Cap</figcaption></figure>",
      "![I](https://ex.org/i.png)\n\nCap",
    ),
    row(
      "frames and films are links",
      "<iframe src='//v.org/e' title=Talk></iframe> <video><source src=/m.mp4></video>",
      "[Talk](https://v.org/e) [Video](https://ex.org/m.mp4)",
    ),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("formulas", () => {
  test.each([
    row(
      "KaTeX",
      "a <span class=katex><span class=katex-mathml><math><semantics><mi>x</mi><annotation encoding=application/x-tex>x^2</annotation></semantics></math></span><span class=katex-html aria-hidden=true>x2</span></span> b",
      "a $x^2$ b",
    ),
    row(
      "KaTeX on its own line",
      "a<span class=katex-display><span class=katex><math><annotation encoding=application/x-tex>\\sum x</annotation></math></span></span>",
      "a\n\n$$\n\\sum x\n$$",
    ),
    row(
      "MathJax 2",
      "a <span class=MathJax_Preview>x</span><span class=MathJax>x</span><script type=math/tex>y_1</script>",
      "a $y_1$",
    ),
    row(
      "MathJax 3",
      "<mjx-container><svg></svg><mjx-assistive-mml><math><msup><mi>e</mi><mi>x</mi></msup></math></mjx-assistive-mml></mjx-container>",
      "$e^{x}$",
    ),
    row(
      "Wikipedia",
      "<span class=mwe-math-element><math alttext='{\\displaystyle a+b}'></math><img class=mwe-math-fallback-image-inline alt='{\\displaystyle a+b}'></span>",
      "$a+b$",
    ),
    row("Sphinx", "<span class='math notranslate'>\\(a_i * b\\)</span>", "$a_i * b$"),
    row(
      "MathML alone",
      "<math><mfrac><mi>a</mi><msqrt><mn>2</mn></msqrt></mfrac><mo>≤</mo><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover></math>",
      "$\\frac{a}{\\sqrt{2}} \\le \\sum_{i}^{n}$",
    ),
    row(
      "accents of MathML, and words above that are names of an object's members",
      "<math><mover><mi>a</mi><mo>→</mo></mover><mover><mi>b</mi><mtext>constructor</mtext></mover><mover><mi>c</mi><mi>__proto__</mi></mover></math>",
      "$\\vec{a} b^{\\text{constructor}} c^{__proto__}$",
    ),
  ])("%s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});
