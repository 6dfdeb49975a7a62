import { describe, expect, test } from "bun:test";

import { parseHtml } from "../../../src/web/dom/parse-html.ts";
import { readStructuredData } from "../../../src/web/extract/structured-data.ts";

const script = (json: string): string => `<script type="application/ld+json">${json}</script>`;

const read = (html: string): object => {
  const { types, articleBody, description } = readStructuredData(parseHtml(html));
  return { types: [...types].sort(), articleBody, description };
};

describe("readStructuredData()", () => {
  test.each([
    [
      "JSON-LD, nested",
      script('{"@graph":[{"@type":["NewsArticle","Thing"],"articleBody":"The text."}]}'),
      { types: ["newsarticle", "thing"], articleBody: "The text.", description: "" },
    ],
    [
      "the longest body",
      script(
        '[{"@type":"Comment","text":"Short"},{"@type":"Article","articleBody":"Much longer"}]',
      ),
      { types: ["article", "comment"], articleBody: "Much longer", description: "" },
    ],
    [
      "OpenGraph and the longest description",
      "<meta property=og:type content=Article><meta name=description content=Short><meta property=og:description content='A longer one'>",
      { types: ["og:article"], articleBody: "", description: "A longer one" },
    ],
    [
      "microdata",
      '<div itemscope itemtype="https://schema.org/Product"></div>',
      { types: ["product"], articleBody: "", description: "" },
    ],
    [
      "what is no JSON says nothing",
      script("{oops"),
      { types: [], articleBody: "", description: "" },
    ],
    [
      "values of other types say nothing",
      script('{"@type":7,"articleBody":{"a":1},"text":null}'),
      { types: [], articleBody: "", description: "" },
    ],
  ])("%s", (_, html, expected) => {
    expect(read(html)).toEqual(expected);
  });

  test("JSON that is nested 100,000 deep does no harm", () => {
    expect(read(script("[".repeat(100_000) + "]".repeat(100_000)))).toEqual({
      types: [],
      articleBody: "",
      description: "",
    });
  });
});
