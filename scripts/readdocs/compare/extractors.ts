import { parse, serialize } from "parse5";

import type { CorpusPage } from "../train/corpus.ts";

/** What an extractor gave for a page. */
export interface Extracted {
  readonly output: string;
  /** Of parsing, extraction and conversion. */
  readonly ms: number;
}

type Extractor = (page: CorpusPage) => Promise<Extracted>;

/** By the name in the table; each loads what it needs when it is asked for. */
export const extractors: Readonly<Record<string, () => Promise<Extractor>>> = {
  "scorpiox-code": createOwn,
  "Readability + linkedom + turndown": createReadability,
  "Defuddle + linkedom": createDefuddle,
};

async function createOwn(): Promise<Extractor> {
  const { extractPage } = await import("../../../src/web/extract/extract-page.ts");
  const { toMarkdown } = await import("../../../src/web/markdown/to-markdown.ts");
  return async ({ html, url }) => {
    const text = html();
    return await timed(async () => toMarkdown(await extractPage(text, url)));
  };
}

async function createReadability(): Promise<Extractor> {
  const { Readability } = await import("@mozilla/readability");
  const { parseHTML } = await import("linkedom");
  const { default: Turndown } = await import("turndown");
  const { gfm } = await import("turndown-plugin-gfm");
  return async ({ html }) => {
    const text = standardHtml(html());
    return await timed(async () => {
      const article = new Readability(parseHTML(text).document).parse();
      const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
      turndown.use(gfm);
      return turndown.turndown(article?.content ?? "");
    });
  };
}

async function createDefuddle(): Promise<Extractor> {
  const { Defuddle } = await import("defuddle/node");
  const { parseHTML } = await import("linkedom");
  return async ({ html, url }) => {
    const text = standardHtml(html());
    return await timed(async () => {
      const { content } = await Defuddle(parseHTML(text).document, url, { markdown: true });
      return content;
    });
  };
}

/** linkedom sees an empty body where an element stands in front of it: the standard's parser puts that right. */
function standardHtml(html: string): string {
  return serialize(parse(html));
}

async function timed(extract: () => Promise<string>): Promise<Extracted> {
  const start = performance.now();
  let output = "";
  try {
    output = await extract();
  } catch {
    // An extractor that fails on a page has extracted nothing.
  }
  return { output, ms: performance.now() - start };
}
