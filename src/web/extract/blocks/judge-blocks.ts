import { blockFeatures } from "../features/block-features.ts";
import { contextFeatures } from "../features/context-features.ts";
import type { BlockModel } from "../model/block-model.ts";
import { forestOpinion } from "../model/forest.ts";
import type { PageFacts } from "../page-facts.ts";
import type { Block } from "./block.ts";
import { chooseCut } from "./choose-cut.ts";

/** For each block the probability that it is content. */
export function judgeBlocks(
  page: PageFacts,
  blocks: readonly Block[],
  { first, second }: BlockModel,
): number[] {
  const rows = blockFeatures(page, blocks);
  const opinions = rows.map((row) => forestOpinion(first, row));
  return contextRows(blocks, rows, opinions).map((row) => forestOpinion(second, row));
}

/** The features of the second forest: those of the first, and the first's opinions of the neighbours. */
export function contextRows(
  blocks: readonly Block[],
  rows: readonly Float32Array[],
  opinions: readonly number[],
): Float32Array[] {
  const cut = chooseCut(opinions, blocks.map(weightOf)).opinion;
  const context = contextFeatures(blocks, opinions, cut);
  return rows.map((row, index) => {
    const own = context(index);
    const joined = new Float32Array(row.length + own.length);
    joined.set(row);
    joined.set(own, row.length);
    return joined;
  });
}

/** About the number of words: the weight of a block in the whole. */
export function weightOf({ chars }: Block): number {
  return 1 + chars / 6;
}
