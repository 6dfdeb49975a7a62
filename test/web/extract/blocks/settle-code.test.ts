import { describe, expect, test } from "bun:test";

import { settleCode } from "../../../../src/web/extract/extract-page.ts";
import { pageBlocks } from "./page-blocks.ts";

describe("settleCode()", () => {
  test.each([
    ["code before kept text is kept", "<pre>code</pre><p>Text</p>", 0.3, [true, true]],
    ["and code after it", "<p>Text</p><pre>code</pre>", 0.3, [true, true]],
    [
      "however it is wrapped",
      "<p>Text</p><div class=highlight><div><pre><code>code</code></pre></div></div>",
      0.3,
      [true, true],
    ],
    ["and beside a list", "<ul><li>Text</li></ul><pre>code</pre>", 0.3, [true, true]],
    ["but not what is surely something else", "<p>Text</p><pre>code</pre>", 0.05, [true, false]],
    [
      "nor code of another part",
      "<div><p>Text</p></div><aside><p>other</p><pre>code</pre></aside>",
      0.3,
      [true, false, false],
    ],
    ["nor other text", "<p>Text</p><p>other</p>", 0.3, [true, false]],
  ])("%s", (_, html, opinion, expected) => {
    const { blocks } = pageBlocks(html);
    const isKept = blocks.map(({ text }) => text === "Text");
    const opinions = blocks.map(() => opinion);
    expect(settleCode(blocks, opinions, isKept)).toEqual(expected);
  });
});
