import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import {
  beginningOf,
  childElements,
  parseHtml,
  startTagsMax,
} from "../../../src/web/dom/parse-html.ts";

/** Each paragraph opens again all that is unclosed before it: elements grow with the square. */
const unclosed = (count: number): string =>
  Array.from({ length: count }, (_, i) => `<p><b class="c${i}">`).join("");

describe("parseHtml", () => {
  test("gives the document's elements, text and comments left out", () => {
    const html = childElements(parseHtml("<!doctype html>\n<p>a<!-- b --><i>c</i>"))[0];
    expect(html === undefined ? [] : childElements(html).map(({ name }) => name)).toEqual([
      "head",
      "body",
    ]);
  });

  test("refuses a page that unfolds to gigabytes", () => {
    let thrown: unknown;
    try {
      parseHtml(unclosed(5_000));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AppError);
    expect(thrown).toMatchObject({ code: "limit" });
  });

  test.each([
    ["a page with some unclosed elements", unclosed(100)],
    ["a short page with many implied elements", "<table><td>".repeat(1_000)],
    ["a page of nothing but tags", "<p>".repeat(200_000)],
    ["a page that is 100,000 deep", "<div>".repeat(100_000)],
  ])("reads %s", (_, html) => {
    expect(childElements(parseHtml(html))).toHaveLength(1);
  });
});

test.each([
  ["a short page", "<p>a</p>", "<p>a</p>"],
  ["text without tags", "a".repeat(1_000_000), "a".repeat(1_000_000)],
  ["as many tags as are read", "<p>".repeat(startTagsMax), "<p>".repeat(startTagsMax)],
  [
    "one too many, where that stands",
    `${"<p>a</p>".repeat(startTagsMax)}<B>b</B>`,
    "<p>a</p>".repeat(startTagsMax),
  ],
])("beginningOf() %s", (_, html, beginning) => {
  expect(beginningOf(html) === beginning).toBe(true);
});
