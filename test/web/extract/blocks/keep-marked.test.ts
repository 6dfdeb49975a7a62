import { describe, expect, test } from "bun:test";

import { keepMarked } from "../../../../src/web/extract/extract-page.ts";
import { pageBlocks } from "./page-blocks.ts";

const text = "A sentence of the text, long enough to be most of the page. ";

describe("keepMarked()", () => {
  test.each([
    ["the main element", `<p>beside</p><main>${text}<p>more</p></main>`, [false, true, true]],
    ["the longest article", `<article>short</article><article>${text}</article>`, [false, true]],
    ["the role of main", `<p>beside</p><div role=main>${text}</div>`, [false, true]],
    [
      "without a mark all but what is beside by name",
      `<nav>nav</nav><p>${text}</p><footer><p>foot</p></footer>`,
      [false, true, false],
    ],
    [
      "a mark on little of the page is not believed",
      `<main>short</main><p>${text}</p>`,
      [true, true],
    ],
  ])("keeps %s", (_, html, expected) => {
    const { page, blocks } = pageBlocks(html);
    expect(keepMarked(page, blocks)).toEqual(expected);
  });
});
