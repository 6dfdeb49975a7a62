import { contextRows } from "../../../src/web/extract/blocks/judge-blocks.ts";
import { forestScore, trainForest } from "./boosting.ts";
import type { BoostingOptions, Forest } from "./boosting.ts";
import type { PageSamples } from "./samples.ts";

/** Pages are dealt into so many parts: the second forest learns from opinions on pages that the first has not seen. */
export const parts = 5;
/** A block counts less than in proportion to its words: short ones are the hard ones. */
const wordPower = 0.5;
/** All pages weigh the same; in rows of weight 1. */
const pageWeight = 200;

const firstOptions: BoostingOptions = {
  trees: 160,
  depth: 5,
  rate: 0.06,
  leafWeightMin: 4,
  rowShare: 0.5,
  featureShare: 0.3,
  lambda: 1,
  seed: 1,
};

const secondOptions: BoostingOptions = { ...firstOptions, depth: 4, seed: 2 };

interface TrainedModel {
  readonly first: Forest;
  readonly second: Forest;
}

/** Trains both forests on `pages`. */
export function trainModel(pages: readonly PageSamples[]): TrainedModel {
  const unseen = pages.map((): readonly number[] => []);
  for (let part = 0; part < parts; part++) {
    const others = pages.filter((_, index) => index % parts !== part);
    const forest = trainRows(others, (page) => page.rows, firstOptions);
    for (const [index, page] of pages.entries()) {
      if (index % parts === part) unseen[index] = opinionsOf(forest, page.rows);
    }
  }
  const rows = new Map(
    pages.map((page, index) => [page, contextRows(page.blocks, page.rows, unseen[index] ?? [])]),
  );
  return {
    first: trainRows(pages, (page) => page.rows, firstOptions),
    second: trainRows(pages, (page) => rows.get(page) ?? [], secondOptions),
  };
}

function opinionsOf(forest: Forest, rows: readonly Float32Array[]): number[] {
  return rows.map((row) => 1 / (1 + Math.exp(-forestScore(forest, row))));
}

function trainRows(
  pages: readonly PageSamples[],
  rowsOf: (page: PageSamples) => readonly Float32Array[],
  options: BoostingOptions,
): Forest {
  const rows: Float32Array[] = [];
  const labels: number[] = [];
  const weights: number[] = [];
  for (const page of pages) {
    const own = page.words.map((words) => words ** wordPower);
    const total = own.reduce((sum, weight) => sum + weight, 0);
    for (const [index, row] of rowsOf(page).entries()) {
      rows.push(row);
      labels.push(page.labels[index] ?? 0);
      weights.push((pageWeight * (own[index] ?? 0)) / Math.max(total, 1));
    }
  }
  return trainForest(
    { rows, labels: Float64Array.from(labels), weights: Float64Array.from(weights) },
    options,
  );
}
