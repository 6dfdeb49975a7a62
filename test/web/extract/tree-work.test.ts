import { describe, expect, test } from "bun:test";

import { treeWork } from "../../../src/web/extract/article-vote.ts";
import { pageBlocks } from "./blocks/page-blocks.ts";

describe("treeWork()", () => {
  test.each([
    ["an empty body", "", 1],
    ["elements side by side", "<p></p><p></p>", 5],
    ["elements in each other", "<div><div><div></div></div></div>", 10],
  ])("of %s", (_, html, expected) => {
    expect(treeWork(pageBlocks(html).page.body, 1_000)).toBe(expected);
  });

  test("ends above the bound", () => {
    const work = treeWork(pageBlocks("<p></p>".repeat(10_000)).page.body, 100);
    expect(work).toBeGreaterThan(100);
    expect(work).toBeLessThan(200);
  });
});
