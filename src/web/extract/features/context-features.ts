import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type { Block } from "../blocks/block.ts";
import { lookOf } from "./container-features.ts";
import { prefixSums } from "./neighbour-features.ts";

/** Levels above a block whose contents are averaged. */
const levels = 7;
const offsets = [-4, -3, -2, -1, 1, 2, 3, 4] as const;
const windows = [3, 8, 20] as const;

export const contextFeatureNames: readonly string[] = [
  "first.own",
  "first.page",
  "first.cut",
  "first.look",
  ...Array.from({ length: levels }, (_, level) => `first.up${level}`),
  ...offsets.map((offset) => `first.at${offset}`),
  ...windows.map((window) => `first.window${window}`),
  "first.before",
  "first.after",
];

/** Features of each block from the first opinion of all blocks: text is seldom alone. */
export function contextFeatures(
  blocks: readonly Block[],
  opinions: readonly number[],
  cut: number,
): (index: number) => number[] {
  const weights = blocks.map(({ chars }) => Math.sqrt(chars) + 1);
  const sums = prefixSums(opinions.map((opinion, index) => opinion * (weights[index] ?? 0)));
  const totals = prefixSums(weights);
  const mean = (from: number, to: number): number => {
    const [start, end] = [Math.max(0, from), Math.min(blocks.length, to)];
    const total = (totals[end] ?? 0) - (totals[start] ?? 0);
    return total <= 0 ? -1 : ((sums[end] ?? 0) - (sums[start] ?? 0)) / total;
  };
  const ofElements = elementMeans(blocks, opinions, weights);
  const ofLooks = lookMeans(blocks, opinions, weights);
  const whole = mean(0, blocks.length);
  return (index) => {
    const block = blocks[index];
    const ofLook = block === undefined ? 0 : (ofLooks.get(lookOf(block)) ?? 0);
    const features = [opinions[index] ?? 0, whole, cut, ofLook];
    addLevels(features, block, ofElements);
    for (const offset of offsets) features.push(opinions[index + offset] ?? -1);
    for (const window of windows) features.push(mean(index - window, index + window + 1));
    features.push(mean(0, index), mean(index + 1, blocks.length));
    return features;
  };
}

function addLevels(
  features: number[],
  block: Block | undefined,
  means: ReadonlyMap<HtmlElement, Mean>,
): void {
  let at = block?.container;
  let last = 0;
  for (let level = 0; level < levels; level++) {
    const mean = at === undefined ? undefined : means.get(at);
    if (mean !== undefined) last = mean.sum / mean.total;
    features.push(last);
    at = at === undefined ? undefined : parentOf(at);
  }
}

interface Mean {
  sum: number;
  total: number;
}

function elementMeans(
  blocks: readonly Block[],
  opinions: readonly number[],
  weights: readonly number[],
): Map<HtmlElement, Mean> {
  const means = new Map<HtmlElement, Mean>();
  for (const [index, { container }] of blocks.entries()) {
    let at: HtmlElement | undefined = container;
    for (let level = 0; level < levels * 2 && at !== undefined; level++) {
      const mean = means.get(at) ?? { sum: 0, total: 0 };
      mean.sum += (opinions[index] ?? 0) * (weights[index] ?? 0);
      mean.total += weights[index] ?? 0;
      means.set(at, mean);
      at = parentOf(at);
    }
  }
  return means;
}

function lookMeans(
  blocks: readonly Block[],
  opinions: readonly number[],
  weights: readonly number[],
): Map<string, number> {
  const means = new Map<string, Mean>();
  for (const [index, block] of blocks.entries()) {
    const look = lookOf(block);
    const mean = means.get(look) ?? { sum: 0, total: 0 };
    mean.sum += (opinions[index] ?? 0) * (weights[index] ?? 0);
    mean.total += weights[index] ?? 0;
    means.set(look, mean);
  }
  return new Map([...means].map(([look, { sum, total }]) => [look, sum / total]));
}

function parentOf({ parent }: HtmlElement): HtmlElement | undefined {
  return parent !== null && isTag(parent) ? parent : undefined;
}
