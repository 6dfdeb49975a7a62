/**
 * Trains the block model of the extractor on the annotated pages beside the checkout:
 *
 *   bun scripts/readdocs/train.ts                     trains on all pages and writes the model
 *   bun scripts/readdocs/train.ts --check FILE.json   cross-validation: writes what the whole extractor gives for
 *                                                     each page with a model that was trained without that page,
 *                                                     for score.ts --pred
 *
 * Pages whose truth is only partial teach nothing and are left out of the training.
 */
import { join } from "node:path";

import { extractPage } from "../../src/web/extract/extract-page.ts";
import type { BlockModel } from "../../src/web/extract/model/block-model.ts";
import { parseForest } from "../../src/web/extract/model/forest.ts";
import { toMarkdown } from "../../src/web/markdown/to-markdown.ts";
import { loadCorpus } from "./train/corpus.ts";
import type { CorpusPage } from "./train/corpus.ts";
import { encodeForest } from "./train/encode-forest.ts";
import { samplesOf } from "./train/samples.ts";
import type { PageSamples } from "./train/samples.ts";
import { parts, trainModel } from "./train/train-model.ts";

const modelFile = join(import.meta.dir, "../../src/web/extract/model/block-model.json");

const pages = loadCorpus();
if (pages.length === 0) {
  console.error("There is no corpus beside the checkout: ../shared/readdocs/corpus");
  process.exit(1);
}
const check = process.argv.indexOf("--check");
if (check === -1) await writeModel();
else await crossValidate(process.argv[check + 1] ?? "predictions.json");

function samplesFrom(chosen: readonly CorpusPage[]): PageSamples[] {
  return chosen
    .filter(({ partialGt }) => partialGt !== true)
    .map((page) => samplesOf(page.id, page.html(), page.url, page.truth()));
}

async function writeModel(): Promise<void> {
  const { first, second } = trainModel(samplesFrom(pages));
  const model = { first: encodeForest(first), second: encodeForest(second) };
  const text = JSON.stringify(model, undefined, 2);
  await Bun.write(modelFile, `${text}\n`);
  console.log(`${modelFile}: ${text.length} characters`);
}

async function crossValidate(file: string): Promise<void> {
  const samples = new Map(samplesFrom(pages).map((page) => [page.id, page]));
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
    console.log(`part ${part + 1} of ${parts}`);
  }
  await Bun.write(file, JSON.stringify(outputs));
}
