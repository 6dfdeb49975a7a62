import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { toCleanHtml } from "../../../src/web/markdown/to-clean-html.ts";
import { toMarkdown, toPlainText } from "../../../src/web/markdown/to-markdown.ts";
import { extractionOf, markdownOf } from "./markdown-of.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const names =
  "p div span b i em strong a code pre ul ol li table tr td th blockquote h1 h2 h3 dl dt dd details summary sup sub br img q del hr section article math mi mfrac figure figcaption aside button script style noscript svg template".split(
    " ",
  );
const attributes = [
  "",
  " class='note admonition'",
  " class='line'",
  " class=highlight-js",
  " hidden",
  " href='/a b'",
  " href='#x' id=x",
  " src=/i.png alt='a]b`'",
  " colspan=3 rowspan=2",
  " class=katex",
  " class='footnote-ref' href='#x'",
  " style='display:none'",
  " start=3",
  " role=heading",
];
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(
      "*",
      "_",
      "`",
      "[",
      "]",
      "(",
      ")",
      "<",
      ">",
      "#",
      "-",
      "|",
      "\\",
      "&",
      ";",
      " ",
      "\n",
      "a",
      "!",
      "~",
      "1",
      ".",
    ),
    maxLength: 16,
  }),
  fc.constantFrom(
    "&lt;script>alert(1)&lt;/script>",
    "```",
    "~~~",
    "<!-- c -->",
    "javascript:alert(1)",
    "\u202e",
    "&#96;",
  ),
);
const tag = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...attributes), fc.boolean());
const page = fc
  .array(
    fc.oneof(
      text,
      tag.map(([name, attribute, isEnd]) => (isEnd ? `</${name}>` : `<${name}${attribute}>`)),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

/** Markdown without its code, in which nothing is live. */
function withoutCode(markdown: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const signs = /^(?:[ >]|[-*] |\d+\. |\[\^[^\]]*\]: )*(`{3,})[^`]*$/.exec(line)?.[1];
    if (fence === undefined && signs !== undefined) fence = signs;
    else if (fence !== undefined && signs !== undefined && signs.length >= fence.length)
      fence = undefined;
    else if (fence === undefined) kept.push(line);
  }
  expect(fence).toBeUndefined();
  return withoutSpans(kept.join("\n"));
}

/** Takes out escaped signs and what stands between equally long runs of backticks of one paragraph. */
function withoutSpans(prose: string): string {
  let out = "";
  for (let at = 0; at < prose.length; at++) {
    const run = /^`+/.exec(prose.slice(at))?.[0];
    if (prose[at] === "\\") {
      out += " ";
      at++;
    } else if (run === undefined) out += prose[at];
    else {
      const rest = prose.slice(at + run.length).split("\n\n")[0] ?? "";
      const end = new RegExp(`(?<!\`)${run}(?!\`)`).exec(rest);
      at += run.length - 1 + (end === null ? 0 : end.index + run.length);
    }
  }
  return out;
}

const unseen =
  // oxlint-disable-next-line no-control-regex -- controls are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f\u200b\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e0fff}]/u;

describe("any page", () => {
  test("becomes Markdown without live tags, with every fence closed and nothing unseen", () => {
    fc.assert(
      fc.property(page, (html) => {
        const markdown = markdownOf(html);
        expect(markdown).not.toMatch(unseen);
        expect(markdown.isWellFormed()).toBe(true);
        const prose = withoutCode(markdown);
        const tags = [...prose.matchAll(/(?<!\\)<\/?([a-z]+)/gi)].map(([, name]) => name);
        expect(tags.filter((name) => !["br", "sub", "sup"].includes(name ?? ""))).toEqual([]);
        expect(prose).not.toMatch(/\]\((?:javascript|data):/i);
      }),
      { numRuns: shareOf(1000) },
    );
  });

  test("becomes plain text and clean HTML without throwing, and the HTML has no scripts", () => {
    fc.assert(
      fc.property(page, (html) => {
        expect(toPlainText(extractionOf(html))).not.toMatch(unseen);
        const clean = toCleanHtml(extractionOf(html));
        expect(clean).not.toMatch(
          /<(?:script|style|template|svg|form|input|button)\b|<[^>]* on\w+=/i,
        );
        expect(clean).not.toMatch(unseen);
      }),
    );
  });

  test("clean HTML gives the same Markdown", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "<p>a",
            "<b>b</b> ",
            "<ul><li>c</ul>",
            "<pre><code class=language-js>d\n e</code></pre>",
            "<a href=/f>g</a>",
            "<table><tr><th>h<th>i<tr><td>1<td>2</table>",
          ),
          { maxLength: 8 },
        ),
        (parts) => {
          const html = parts.join("");
          expect(markdownOf(toCleanHtml(extractionOf(html)))).toBe(markdownOf(html));
        },
      ),
    );
  });
});

describe("pages out of all measure", () => {
  const deep = shareOf(20_000);
  test.each([
    ["elements in each other", `${"<div>".repeat(100_000)}x`],
    ["marks in each other", `${"<b><i>".repeat(deep)}x`],
    ["quotes in each other", `${"<blockquote>".repeat(deep)}x`],
    ["lists in each other", `${"<ul><li>a".repeat(deep)}x`],
    ["tables in each other", `${"<table><tr><td>".repeat(2_000)}x`],
    ["code in code", `<pre>${"<code>".repeat(deep)}x`],
    ["formulas in each other", `<math>${"<mrow>".repeat(deep)}<mi>x`],
    ["links without number", "<a href='#x'>x</a>".repeat(deep)],
    ["empty elements", `${"<div><span></span></div>".repeat(deep)}x`],
    ["one line", "x".repeat(shareOf(5_000_000))],
    ["one line of signs", "[".repeat(500_000)],
    ["backticks", "`".repeat(500_000)],
    ["backticks in code", `<code>${"` ``".repeat(100_000)}</code>x`],
  ])("%s", (_name, html) => {
    const extraction = extractionOf(html);
    for (const write of [toMarkdown, toPlainText, toCleanHtml])
      expect(write(extraction)).toMatch(/[x[`]/);
  });

  test("short links on a page with a long address stay within the budget", () => {
    const extraction = {
      ...extractionOf("<a href=b>x</a> ".repeat(50_000)),
      baseUrl: `https://ex.org/${"a".repeat(1_900)}/`,
    };
    expect(toMarkdown(extraction).length).toBeLessThan(17 * 1024 * 1024);
  });
});
