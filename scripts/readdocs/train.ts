/**
 * Trains the block model of the extractor on the annotated pages beside the checkout:
 *
 *   bun scripts/readdocs/train.ts            trains on all pages and writes the model
 *   bun scripts/readdocs/train.ts --check    cross-validation: scores pages that the model has not seen
 *
 * Pages whose truth is only partial teach nothing and are left out.
 */
import { join } from "node:path";

import { chooseCut } from "../../src/web/extract/blocks/choose-cut.ts";
import { weightOf } from "../../src/web/extract/blocks/judge-blocks.ts";
import { loadCorpus } from "./train/corpus.ts";
import { encodeForest } from "./train/encode-forest.ts";
import { samplesOf } from "./train/samples.ts";
import type { PageSamples } from "./train/samples.ts";
import { judge, parts, trainModel } from "./train/train-model.ts";

const modelFile = join(import.meta.dir, "../../src/web/extract/model/block-model.json");

const pages = loadCorpus()
  .filter(({ partialGt }) => partialGt !== true)
  .map((page) => samplesOf(page.id, page.html(), page.url, page.truth()));
if (pages.length === 0) {
  console.error("There is no corpus beside the checkout: ../shared/readdocs/corpus");
  process.exit(1);
}
if (process.argv.includes("--check")) crossValidate(pages);
else await writeModel(pages);

async function writeModel(all: readonly PageSamples[]): Promise<void> {
  const { first, second } = trainModel(all);
  const text = JSON.stringify(
    { first: encodeForest(first), second: encodeForest(second) },
    undefined,
    2,
  );
  await Bun.write(modelFile, `${text}\n`);
  console.log(`${modelFile}: ${text.length} characters`);
}

/** Prints the F1 of words, averaged over pages, of models that were trained without them. */
function crossValidate(all: readonly PageSamples[]): void {
  const scores: number[] = [];
  for (let part = 0; part < parts; part++) {
    const model = trainModel(all.filter((_, index) => index % parts !== part));
    for (const page of all.filter((_, index) => index % parts === part)) {
      const opinions = judge(model, page);
      const cut = chooseCut(opinions, page.blocks.map(weightOf)).opinion;
      scores.push(
        scoreOf(
          page,
          opinions.map((opinion) => opinion >= cut),
        ),
      );
    }
    console.log(
      `part ${part + 1} of ${parts}: ${(scores.reduce((a, b) => a + b, 0) / scores.length).toFixed(4)}`,
    );
  }
}

function scoreOf({ words, labels }: PageSamples, isKept: readonly boolean[]): number {
  let [kept, right, all] = [0, 0, 0];
  for (const [index, count] of words.entries()) {
    const content = count * (labels[index] ?? 0);
    all += content;
    if (isKept[index] !== true) continue;
    kept += count;
    right += content;
  }
  return kept + all === 0 ? 1 : (2 * right) / (kept + all);
}
