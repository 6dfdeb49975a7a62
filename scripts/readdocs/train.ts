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

import { loadCorpus } from "./train/corpus.ts";
import { crossValidate, trainingSamples } from "./train/cross-validate.ts";
import { encodeForest } from "./train/encode-forest.ts";
import { trainModel } from "./train/train-model.ts";

const modelFile = join(import.meta.dir, "../../src/web/extract/model/block-model.json");

const pages = loadCorpus();
if (pages.length === 0) {
  console.error("There is no corpus beside the checkout: ../shared/readdocs/corpus");
  process.exit(1);
}
const check = process.argv.indexOf("--check");
if (check === -1) {
  const { first, second } = trainModel(trainingSamples(pages));
  const model = { first: encodeForest(first), second: encodeForest(second) };
  const text = JSON.stringify(model, undefined, 2);
  await Bun.write(modelFile, `${text}\n`);
  console.log(`${modelFile}: ${text.length} characters`);
} else {
  const file = process.argv[check + 1] ?? "predictions.json";
  await Bun.write(file, JSON.stringify(await crossValidate(pages)));
  console.log(file);
}
