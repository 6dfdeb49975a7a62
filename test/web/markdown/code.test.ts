import { describe, expect, test } from "bun:test";

import { languageName } from "../../../src/web/markdown/code-language.ts";
import { markdownOf } from "./markdown-of.ts";

const fence = (language: string, ...lines: string[]): string =>
  ["```" + language, ...lines, "```"].join("\n");

describe("the language of code", () => {
  const rows: [generator: string, html: string, language: string][] = [
    ["Prism and highlight.js, on the code", "<pre><code class='language-ts'>x</code></pre>", "ts"],
    [
      "highlight.js after it has run",
      "<pre><code class='hljs language-python'>x</code></pre>",
      "python",
    ],
    ["highlight.js of old", "<pre><code class='hljs javascript'>x</code></pre>", "javascript"],
    ["Microsoft Learn", "<pre><code class='lang-azurecli'>x</code></pre>", "azurecli"],
    [
      "Sphinx",
      "<div class='highlight-python3 notranslate'><div class=highlight><pre>x</pre></div></div>",
      "python3",
    ],
    [
      "Sphinx without a language",
      "<div class='highlight-default notranslate'><div class=highlight><pre>x</pre></div></div>",
      "",
    ],
    ["docutils", "<pre class='code python literal-block'>x</pre>", "python"],
    ["GitHub", "<div class='highlight highlight-source-shell'><pre>x</pre></div>", "shell"],
    ["GitHub, HTML", "<div class='highlight highlight-text-html-basic'><pre>x</pre></div>", "html"],
    [
      "Rouge and Jekyll",
      "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight><code>x</code></pre></div></div>",
      "ruby",
    ],
    [
      "MkDocs",
      "<div class='language-yaml highlight'><pre><span></span><code>x</code></pre></div>",
      "yaml",
    ],
    [
      "Hugo",
      "<div class=highlight><pre class=chroma><code class=language-go data-lang=go>x</code></pre></div>",
      "go",
    ],
    [
      "Docusaurus",
      "<div class='language-bash codeBlockContainer_1'><pre class='prism-code language-bash'><code>x</code></pre></div>",
      "bash",
    ],
    [
      "VitePress",
      "<div class='language-js'><button class=copy></button><span class=lang>js</span><pre class='shiki github-dark'><code>x</code></pre></div>",
      "js",
    ],
    ["Shiki", "<pre class=shiki data-language=rust><code>x</code></pre>", "rust"],
    [
      "rustdoc",
      "<div class=example-wrap><pre class='rust rust-example-rendered'><code>x</code></pre></div>",
      "rust",
    ],
    [
      "mdBook, with code that can be run",
      "<pre><pre class=playground><code class='language-rust edition2021'>x</code></pre></pre>",
      "rust",
    ],
    ["mdBook", "<pre><code class='language-rust ignore edition2021'>x</code></pre>", "rust"],
    [
      "MDN",
      "<div class=code-example><pre class='brush: js notranslate'><code>x</code></pre></div>",
      "js",
    ],
    ["SyntaxHighlighter", "<pre class='brush: csharp; gutter: false'>x</pre>", "csharp"],
    [
      "Pandoc",
      "<div class=sourceCode><pre class='sourceCode haskell'><code class='sourceCode haskell'>x</code></pre></div>",
      "haskell",
    ],
    ["Org mode", "<pre class='src src-emacs-lisp'>x</pre>", "emacs-lisp"],
    [
      "Asciidoctor",
      "<div class=listingblock><pre class='highlightjs highlight'><code class=language-json data-lang=json>x</code></pre></div>",
      "json",
    ],
    ["Crayon", "<pre class='lang:php decode:true'>x</pre>", "php"],
    ["Enlighter", "<pre class=EnlighterJSRAW data-enlighter-language=java>x</pre>", "java"],
    ["old GitHub Markdown", "<pre lang=ruby>x</pre>", "ruby"],
    [
      "a label above the code",
      "<div><div class=code-header><span class=language>C#</span></div><pre><code>x</code></pre></div>",
      "csharp",
    ],
    [
      "MediaWiki",
      "<div class='mw-highlight mw-highlight-lang-python mw-content-ltr'><pre>x</pre></div>",
      "python",
    ],
    [
      "Confluence",
      "<pre class=syntaxhighlighter-pre data-syntaxhighlighter-params='brush: java; gutter: false'>x</pre>",
      "java",
    ],
    ["Mintlify", "<pre class=shiki language=bash><code>x</code></pre>", "bash"],
    [
      "Google's documentation",
      "<devsite-code><pre class=devsite-click-to-copy syntax=Python>x</pre></devsite-code>",
      "python",
    ],
    ["ExDoc", "<pre><code class='makeup elixir'>x</code></pre>", "elixir"],
    [
      "cppreference's MediaWiki",
      "<div class=mw-geshi><div class='cpp source-cpp'><pre class=de1>x</pre></div></div>",
      "cpp",
    ],
    ["a human language is none", "<pre lang=en>x</pre>", ""],
    [
      "a class for the looks is none",
      "<pre class='highlight code-wrapper language-none'>x</pre>",
      "",
    ],
    [
      "an article about Java is not in Java",
      "<article class='java'><div><pre>x</pre></div></article>",
      "",
    ],
  ];
  test.each(rows)("%s", (_generator, html, language) => {
    expect(markdownOf(html)).toBe(fence(language, "x"));
  });

  test.each([
    ["C++", "cpp"],
    ["{.python}", "python"],
    ["plaintext", ""],
    ["source-json", "json"],
    ["<b>", ""],
    ["constructor", "constructor"],
    ["__proto__", ""],
    ["a".repeat(40), ""],
  ])("languageName(%j) is %j", (raw, name) => {
    expect(languageName(raw)).toBe(name);
  });
});

describe("the text of code", () => {
  const rows: [name: string, html: string, lines: string[]][] = [
    [
      "is verbatim",
      "<pre>  a &lt;b>  *c*\n\n\td_e_\u00a0f\n</pre>",
      ["  a <b>  *c*", "", "\td_e_ f"],
    ],
    [
      "without elements for colours",
      "<pre><code><span class=k>let</span> <span class=n>a</span>;\n<b>b</b></code></pre>",
      ["let a;", "b"],
    ],
    ["with breaks for line ends", "<pre>a<br>b<br><br>c</pre>", ["a", "b", "", "c"]],
    [
      "Docusaurus, lines that end in breaks",
      "<pre><code><span class=token-line>a<br></span><span class=token-line><br></span><span class=token-line>b<br></span></code></pre>",
      ["a", "", "b"],
    ],
    [
      "Shiki, lines and line ends",
      "<pre class=shiki><code><span class=line>a</span>\n<span class=line></span>\n<span class=line>b</span></code></pre>",
      ["a", "", "b"],
    ],
    [
      "lines without line ends",
      "<pre><code><span class=line>a</span><span class=line></span><span class=line>b</span></code></pre>",
      ["a", "", "b"],
    ],
    [
      "lines as blocks",
      "<pre><code><div class=line>a</div><div class=line></div><div class=line>  b</div></code></pre>",
      ["a", "", "  b"],
    ],
    [
      "Expressive Code",
      "<pre><code><div class=ec-line><div class=gutter>1</div><div class=code>a</div></div><div class=ec-line><div class=gutter>2</div><div class=code>b</div></div></code></pre>",
      ["a", "b"],
    ],
    [
      "Pygments, numbers in lines",
      "<pre><span></span><span class=linenos>1</span>a\n<span class=linenos>2</span>b\n</pre>",
      ["a", "b"],
    ],
    [
      "Pygments, numbers in a column",
      "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2</pre></div></td><td class=code><div class=highlight><pre>a\nb</pre></div></td></tr></table>",
      ["a", "b"],
    ],
    [
      "Rouge",
      "<pre class=highlight><code><table class=rouge-table><tbody><tr><td class='rouge-gutter gl'><pre class=lineno>1\n2\n</pre></td><td class=rouge-code><pre>a\nb\n</pre></td></tr></tbody></table></code></pre>",
      ["a", "b"],
    ],
    [
      "Chroma",
      "<div class=chroma><table class=lntable><tr><td class=lntd><pre><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre></td><td class=lntd><pre><code><span class=line><span class=cl>a\n</span></span><span class=line><span class=cl>b\n</span></span></code></pre></td></tr></table></div>",
      ["a", "b"],
    ],
    [
      "GitHub",
      "<table class='js-file-line-container'><tbody><tr><td class='blob-num' data-line-number=1></td><td class='blob-code'>a</td></tr>\n<tr><td class='blob-num' data-line-number=2></td><td class='blob-code'>b</td></tr></tbody></table>",
      ["a", "b"],
    ],
    [
      "highlight.js with numbers",
      "<pre><code class=hljs><table class=hljs-ln><tbody><tr><td class='hljs-ln-line hljs-ln-numbers' data-line-number=1></td><td class='hljs-ln-line hljs-ln-code'>a</td></tr><tr><td class='hljs-ln-line hljs-ln-numbers' data-line-number=2></td><td class='hljs-ln-line hljs-ln-code'>b</td></tr></tbody></table></code></pre>",
      ["a", "b"],
    ],
    [
      "CodeMirror",
      "<div class=CodeMirror><div><textarea></textarea></div><div class=CodeMirror-code><div><div class=CodeMirror-gutter-wrapper><div class='CodeMirror-linenumber CodeMirror-gutter-elt'>1</div></div><pre class=CodeMirror-line>a</pre></div><div><pre class=CodeMirror-line>b</pre></div></div></div>",
      ["a", "b"],
    ],
    [
      "numbers that cannot be selected",
      "<pre><span style='user-select: none'>1 </span>a\n<span style='user-select:none'>2 </span>b</pre>",
      ["a", "b"],
    ],
    [
      "Doxygen",
      "<div class=fragment><div class=line><span class=lineno>    1</span>int a;</div><div class=line><span class=lineno>    2</span></div><div class=line><span class=lineno>    3</span>  b;</div></div>",
      ["int a;", "", "  b;"],
    ],
    [
      "numbers without a class, as blocks beside each line",
      "<pre><code><div><div>1</div><div>  a</div></div><div><div>2</div><div>b</div></div><div><div>3</div><div>c</div></div></code></pre>",
      ["  a", "b", "c"],
    ],
    [
      "Hexo, lines between breaks",
      "<figure class=highlight><table><tr><td class=gutter><pre><span class=line>1</span><br><span class=line>2</span><br></pre></td><td class=code><pre><span class=line>a</span><br><span class=line>b</span><br></pre></td></tr></table></figure>",
      ["a", "b"],
    ],
    [
      "buttons that copy",
      "<pre><button class=copy>Copy</button><code>a</code><clipboard-copy>x</clipboard-copy></pre>",
      ["a"],
    ],
    [
      "prompts stay",
      "<pre><span class=gp>$ </span>ls\n<span class=go>out</span></pre>",
      ["$ ls", "out"],
    ],
    ["what nobody sees goes", "<pre>a\u200b\u202eb\u{e0041}</pre>", ["ab"]],
    ["code that is laid out without pre", "<code style='white-space: pre'>a\nb</code>", ["a", "b"]],
    ["code in lines without pre", "<code>a<br>b<br>c</code>", ["a", "b", "c"]],
  ];
  test.each(rows)("%s", (_name, html, lines) => {
    expect(markdownOf(html)).toBe(fence("", ...lines));
  });

  test("the fence is longer than any run of backticks inside", () => {
    expect(markdownOf("<pre>````\nx\n```</pre>")).toBe("`````\n````\nx\n```\n`````");
  });

  test("a block of white space is none", () => {
    expect(markdownOf("a<pre> \n </pre>")).toBe("a");
  });

  test("code of one line in running text stays there, however it was wrapped", () => {
    expect(markdownOf("a <code>b\n  c</code> d")).toBe("a `b c` d");
  });
});
