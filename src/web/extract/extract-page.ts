import type { HtmlElement } from "../dom/parse-html.ts";
import { findElements } from "../dom/walk.ts";
import type { Extraction } from "./extraction.ts";
import type { PageFacts } from "./page-facts.ts";
import { readPage } from "./read-page.ts";

/**
 * Takes out of a page the part that its reader came for. `url` is the final URL of the page.
 * Never throws for anything that a page can be; an empty page gives an empty root.
 */
export async function extractPage(html: string, url: string): Promise<Extraction> {
  const page = readPage(html, url);
  const root = findMain(page);
  return {
    title: page.title,
    language: findLanguage(page),
    root,
    baseUrl: page.baseUrl,
    textChars: page.measure(root).chars,
  };
}

function findMain(page: PageFacts): HtmlElement {
  const marked = findElements(
    page.body,
    ({ name, attribs }) => name === "main" || name === "article" || attribs["role"] === "main",
  );
  const best = marked.toSorted((a, b) => page.measure(b).chars - page.measure(a).chars)[0];
  return best ?? page.body;
}

function findLanguage(page: PageFacts): string {
  const html = page.document.children.find((child) => "attribs" in child);
  return html === undefined ? "" : (html.attribs["lang"] ?? "");
}
