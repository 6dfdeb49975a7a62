import { describe, expect, test } from "bun:test";

import {
  childElements,
  type HtmlDocument,
  type HtmlElement,
  parseHtml,
  treeDepthMax,
} from "../../../src/web/dom/parse-html.ts";
import { nodeText } from "../../../src/web/dom/element.ts";

function depthOf(document: HtmlDocument): number {
  let depth = 0;
  let level: (HtmlDocument | HtmlElement)[] = [document];
  for (; level.length > 0; depth++) level = level.flatMap((node) => childElements(node));
  return depth - 1;
}

/** `html` and `body` are levels too. */
const nested = (count: number): string => "<div>".repeat(count - 2);

describe("flattenDeep()", () => {
  test.each([
    ["below the bound", treeDepthMax - 1, treeDepthMax - 1],
    ["at the bound", treeDepthMax, treeDepthMax],
    ["above the bound", treeDepthMax + 1, treeDepthMax + 1],
    ["far above the bound", 50_000, treeDepthMax + 1],
  ])("a tree %s", (_, levels, expected) => {
    expect(depthOf(parseHtml(nested(levels)))).toBe(expected);
  });

  test("keeps all text in its order, but no script", () => {
    const html = `${nested(treeDepthMax + 20)}a<p>b<i>c<script>no()</script></i></p>d`;
    expect(nodeText(parseHtml(html))).toBe("abcd");
  });
});
