import { expect, test } from "bun:test";

import { toCleanHtml } from "../../../src/web/markdown/to-clean-html.ts";
import { extractionOf } from "./markdown-of.ts";

test.each([
  [
    "scripts, styles and handlers",
    "<p onclick=x style=y class=z>a<script>b</script><style>c</style>",
    "<p>a</p>",
  ],
  [
    "forms, but not what is in them",
    "<form><label>a <input></label><button>b</button></form>",
    "a b",
  ],
  [
    "buttons that copy and signs of permalinks",
    "<h2>a<a class=headerlink href='#a'>¶</a></h2><button>Copy</button>",
    "<h2>a</h2>",
  ],
  ["what nobody sees", "<p>a\u200b<span hidden>b</span>", "<p>a</p>"],
  [
    "relative addresses, which become absolute",
    "<a href=/b>a</a><img src=c.png alt=d>",
    '<a href="https://ex.org/b">a</a><img alt="d" src="https://ex.org/dir/c.png">',
  ],
  [
    "scripts in addresses",
    "<a href='javascript:x'>a</a><iframe src='data:,x'></iframe>",
    "<a>a</a><iframe></iframe>",
  ],
  ["signs of HTML in text", "a &lt;b&gt; &amp; &quot;", "a &lt;b&gt; &amp; &quot;"],
  [
    "white space, but not in code",
    "<p>a \n\n b</p><pre class=x>c\n\n  d</pre>",
    '<p>a b</p>\n<pre class="x">c\n\n  d</pre>',
  ],
])("toCleanHtml() and %s", (_name, html, clean) => {
  expect(
    toCleanHtml(extractionOf(html))
      .replace(/^<body>|<\/body>$/g, "")
      .trim(),
  ).toBe(clean);
});
