import { isTag } from "domhandler";

import { parseHtml, findElement } from "../../../src/web/dom/parse-html.ts";
import type { Extraction } from "../../../src/web/extract/page-facts.ts";
import { toMarkdown } from "../../../src/web/markdown/to-markdown.ts";

/** The whole body of a page at `https://ex.org/dir/page` as what was extracted. */
export function extractionOf(html: string): Extraction {
  const root = parseHtml(html).children.find(isTag);
  const body = root === undefined ? undefined : findElement(root, ({ name }) => name === "body");
  if (body === undefined) throw new Error("a parsed page has a body");
  return { title: "", language: "", root: body, baseUrl: "https://ex.org/dir/page", textChars: 0 };
}

export function markdownOf(html: string): string {
  return toMarkdown(extractionOf(html));
}
