import { extractPage } from "../../../src/web/extract/extract-page.ts";
import { type BlockModel, parseForest } from "../../../src/web/extract/model/block-model.ts";
import { toMarkdown } from "../../../src/web/markdown/to-markdown.ts";
import type { CorpusPage } from "./corpus.ts";
import { encodeForest } from "./encode-forest.ts";
import { type PageSamples, samplesOf } from "./samples.ts";
import { parts, trainModel } from "./train-model.ts";

/** What there is to learn from `pages`: those whose truth ends before the page does teach the wrong thing. */
export function trainingSamples(pages: readonly CorpusPage[]): PageSamples[] {
  return pages
    .filter(({ partialGt }) => partialGt !== true)
    .map((page) => samplesOf(page.id, page.html(), page.url, page.truth()));
}

/** What the whole extractor gives for each page with a model that was trained without that page, by id. */
export async function crossValidate(pages: readonly CorpusPage[]): Promise<Record<string, string>> {
  const samples = new Map(trainingSamples(pages).map((page) => [page.id, page]));
  const outputs: Record<string, string> = {};
  for (let part = 0; part < parts; part++) {
    const others = pages.filter((_, index) => index % parts !== part);
    const { first, second } = trainModel(others.flatMap(({ id }) => samples.get(id) ?? []));
    const model: BlockModel = {
      first: parseForest(encodeForest(first)),
      second: parseForest(encodeForest(second)),
    };
    for (const page of pages.filter((_, index) => index % parts === part)) {
      outputs[page.id] = toMarkdown(await extractPage(page.html(), page.url, model));
    }
  }
  return outputs;
}
