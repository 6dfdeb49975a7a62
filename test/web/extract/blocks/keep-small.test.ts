import { describe, expect, test } from "bun:test";

import { extractPage } from "../../../../src/web/extract/extract-page.ts";
import { toMarkdown } from "../../../../src/web/markdown/to-markdown.ts";

const sentence = "A sentence that says something a reader may want to know. ";

async function markdownOf(main: string): Promise<string> {
  const html = `<title>Small</title><nav><a href=/a>Away</a></nav><main>${main}</main><footer>Imprint</footer>`;
  return toMarkdown(await extractPage(html, "https://example.org/")).trim();
}

describe("a page that is smaller than any the model has seen", () => {
  test.each([
    ["code after a paragraph", "<pre>make all</pre>", "make all"],
    ["a table after a paragraph", "<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| 1 | 2 |"],
    [
      "a warning with its title",
      '<div class="admonition warning"><p class="admonition-title">Warning</p><p>It is hot.</p></div>',
      "> **Warning**",
    ],
    ["a list", "<ul><li>first<li>second</ul>", "- first"],
    ["a heading that is not the title", "<h2>Usage</h2><p>Run it.</p>", "## Usage"],
  ])("keeps %s", async (_what, html, expected) => {
    expect(await markdownOf(`<h1>Small</h1><p>${sentence.repeat(3)}</p>${html}`)).toContain(
      expected,
    );
  });

  test("keeps neither what is beside its main part, nor links, nor a second title", async () => {
    const links = '<p><a href="/s">Share this</a> <a href="/t">Tell a friend</a></p>';
    const markdown = await markdownOf(`<h1>Small</h1>${links}<p>${sentence.repeat(3)}</p>`);
    expect(markdown).toBe(sentence.repeat(3).trim());
  });
});
