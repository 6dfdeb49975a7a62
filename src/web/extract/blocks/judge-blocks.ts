import { parentOf } from "../../dom/element.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";
import { blockFeatures, contextFeatures } from "../features/block-features.ts";
import { type BlockModel, forestOpinion } from "../model/block-model.ts";
import type { PageFacts } from "../page-facts.ts";
import type { ContentBlock } from "./find-blocks.ts";

/** For each block the probability that it is content. */
export function judgeBlocks(
  page: PageFacts,
  blocks: readonly ContentBlock[],
  { first, second }: BlockModel,
): number[] {
  const rows = blockFeatures(page, blocks);
  const opinions = rows.map((row) => forestOpinion(first, row));
  return contextRows(blocks, rows, opinions).map((row) => forestOpinion(second, row));
}

/** The features of the second forest: those of the first, and the first's opinions of the neighbours. */
export function contextRows(
  blocks: readonly ContentBlock[],
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
export function weightOf({ chars }: ContentBlock): number {
  return 1 + chars / 6;
}

/** The opinion from which on blocks are kept, and how good the outcome is expected to be. */
interface Cut {
  readonly opinion: number;
  /** The expected F1: 1 = all blocks are certain. */
  readonly expected: number;
}

/**
 * Chooses the cut whose expected F1 is highest, when each opinion is the probability that a block is
 * content: on a page of doubts all is kept that is not certainly something else.
 */
export function chooseCut(opinions: readonly number[], weights: readonly number[]): Cut {
  const order = opinions
    .map((_, index) => index)
    .sort((a, b) => (opinions[b] ?? 0) - (opinions[a] ?? 0));
  const content = opinions.reduce(
    (sum, opinion, index) => sum + opinion * (weights[index] ?? 0),
    0,
  );
  let best: Cut = { opinion: 0, expected: 0 };
  let [kept, right] = [0, 0];
  for (const index of order) {
    const opinion = opinions[index] ?? 0;
    const weight = weights[index] ?? 0;
    kept += weight;
    right += opinion * weight;
    const expected = (2 * right) / (kept + content);
    if (expected > best.expected) best = { opinion, expected };
  }
  return best;
}

/** Cells with this much text are parts of a page that is laid out as a table. */
const cellCharsMax = 1_500;

/** Blocks to each side of a table that speak for it. */
const nearBlocks = 3;

/**
 * The opinions, with those of each table of data made one: half a table is useless. A table that holds another, or long
 * cells, is the layout of a page and stays as it is.
 */
export function evenTables(blocks: readonly ContentBlock[], opinions: readonly number[]): number[] {
  const tables = new Map<HtmlElement, number[]>();
  const layouts = new Set<HtmlElement>();
  for (const [index, block] of blocks.entries()) {
    const around = tablesAround(block.container);
    const [table] = around;
    if (table === undefined) continue;
    for (const outer of around) if (outer !== table) layouts.add(outer);
    if (block.chars > cellCharsMax) layouts.add(table);
    const indexes = tables.get(table);
    if (indexes === undefined) tables.set(table, [index]);
    else indexes.push(index);
  }
  const even = [...opinions];
  for (const [table, indexes] of tables) {
    if (layouts.has(table)) continue;
    let [sum, total] = [0, 0];
    for (const index of indexes) {
      const block = blocks[index];
      const weight = block === undefined ? 0 : weightOf(block);
      sum += (opinions[index] ?? 0) * weight;
      total += weight;
    }
    const around = opinionAround(opinions, indexes);
    // A table in the middle of content is content, though its cells look like nothing of the kind.
    const opinion = Math.max(sum / total, (sum / total + around) / 2);
    for (const index of indexes) even[index] = opinion;
  }
  return even;
}

/** The tables that contain `element`, innermost first. */
function tablesAround(element: HtmlElement): HtmlElement[] {
  const tables: HtmlElement[] = [];
  for (let at: HtmlElement | undefined = element; at !== undefined; at = parentOf(at)) {
    if (at.name === "table") tables.push(at);
  }
  return tables;
}

/** The mean opinion of the blocks right before and after those at `indexes`. */
function opinionAround(opinions: readonly number[], indexes: readonly number[]): number {
  const first = indexes[0] ?? 0;
  const last = indexes.at(-1) ?? 0;
  const near = [
    ...opinions.slice(Math.max(0, first - nearBlocks), first),
    ...opinions.slice(last + 1, last + 1 + nearBlocks),
  ];
  return near.length === 0 ? 0 : near.reduce((sum, opinion) => sum + opinion, 0) / near.length;
}
