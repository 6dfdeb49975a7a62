import { extractPage } from "../../../src/web/extract/extract-page.ts";
import {
  type BlockModel,
  type ForestText,
  parseForest,
} from "../../../src/web/extract/model/block-model.ts";
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

/** The forests of a model as the product stores them. */
export interface ModelText {
  readonly first: ForestText;
  readonly second: ForestText;
}

/** For each part of `pages` a model that was trained on the other parts. */
export function* trainOnOthers(pages: readonly CorpusPage[]): Generator<ModelText> {
  const samples = new Map(trainingSamples(pages).map((page) => [page.id, page]));
  for (let part = 0; part < parts; part++) {
    const others = pages.filter((_, index) => index % parts !== part);
    const { first, second } = trainModel(others.flatMap(({ id }) => samples.get(id) ?? []));
    yield { first: encodeForest(first), second: encodeForest(second) };
  }
}

/** What the whole extractor gives for each page with the model of `texts` that was trained without that page, by id. */
export async function extractUnseen(
  pages: readonly CorpusPage[],
  texts: Iterable<ModelText>,
): Promise<Record<string, string>> {
  const outputs: Record<string, string> = {};
  let part = 0;
  for (const { first, second } of texts) {
    const model: BlockModel = { first: parseForest(first), second: parseForest(second) };
    for (const page of pages.filter((_, index) => index % parts === part)) {
      outputs[page.id] = toMarkdown(await extractPage(page.html(), page.url, model));
    }
    part++;
  }
  return outputs;
}

/** What the whole extractor gives for each page with a model that was trained without that page, by id. */
export async function crossValidate(pages: readonly CorpusPage[]): Promise<Record<string, string>> {
  return await extractUnseen(pages, trainOnOthers(pages));
}
