import { lineText } from "../dom/node-text.ts";
import { chooseCut } from "./blocks/choose-cut.ts";
import { findBlocks } from "./blocks/find-blocks.ts";
import { judgeBlocks, weightOf } from "./blocks/judge-blocks.ts";
import { keepBlocks } from "./blocks/keep-blocks.ts";
import type { Extraction } from "./extraction.ts";
import type { PageFacts } from "./page-facts.ts";
import { readPage } from "./read-page.ts";
import type { HtmlElement } from "../dom/parse-html.ts";

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
    textChars: lineText(root).length,
  };
}

function findMain(page: PageFacts): HtmlElement {
  const blocks = findBlocks(page.body, page.measure);
  const opinions = judgeBlocks(page, blocks);
  const cut = chooseCut(opinions, blocks.map(weightOf));
  return keepBlocks(page.body, blocks, (index) => (opinions[index] ?? 0) >= cut.opinion);
}

function findLanguage(page: PageFacts): string {
  const html = page.document.children.find((child) => "attribs" in child);
  return html === undefined ? "" : (html.attribs["lang"] ?? "");
}
