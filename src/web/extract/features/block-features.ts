import { isTag } from "domhandler";

import { parentOf } from "../../dom/element.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";
import type { ContentBlock } from "../blocks/find-blocks.ts";
import type { PageFacts } from "../page-facts.ts";
import { containerFeatureNames, createContainerFeatures, lookOf } from "./container-features.ts";
import { createInheritance, evidenceCount, rolesInherited } from "./inherited.ts";
import {
  createNeighbourFeatures,
  createPlaceFeatures,
  neighbourFeatureNames,
  placeFeatureNames,
  prefixSums,
} from "./place-features.ts";
import { pageFeatureNames, pageFeatures, textFeatureNames, textFeatures } from "./text-features.ts";

/** Kinds of element that a block can be, as one number: near kinds are near each other. */
const kinds: ReadonlyMap<string, number> = new Map(
  Object.entries({
    p: 1,
    blockquote: 2,
    pre: 3,
    dd: 4,
    li: 5,
    dt: 6,
    td: 7,
    th: 8,
    figcaption: 9,
    caption: 10,
    h1: 11,
    h2: 12,
    h3: 13,
    h4: 14,
    h5: 15,
    h6: 16,
    summary: 17,
    label: 18,
    button: 19,
    a: 20,
    div: 21,
    section: 22,
  }),
);
const otherKind = 23;

/** The kind of a block, as the models know it. */
function kindOf(block: ContentBlock): number {
  const [node] = block.nodes;
  if (node !== undefined && block.nodes.length === 1 && isTag(node) && node.name === "pre")
    return kinds.get("pre") ?? otherKind;
  return kinds.get(block.container.name) ?? otherKind;
}

export const blockFeatureNames: readonly string[] = [
  "kind",
  "depth",
  ...rolesInherited.map((role) => `role.${role}`),
  ...Array.from({ length: evidenceCount }, (_, index) => `name.${index}`),
  ...textFeatureNames,
  ...containerFeatureNames,
  ...neighbourFeatureNames,
  ...placeFeatureNames,
  ...pageFeatureNames,
];

/** The features of every block, in the order of `blockFeatureNames`. */
export function blockFeatures(page: PageFacts, blocks: readonly ContentBlock[]): Float32Array[] {
  const inherited = createInheritance(page.body);
  const container = createContainerFeatures(page, blocks);
  const neighbours = createNeighbourFeatures(blocks);
  const place = createPlaceFeatures(page, blocks);
  const ofPage = pageFeatures(page, blocks);
  return blocks.map((block, index) => {
    const { depth, distances } = inherited(elementOf(block));
    const row = new Float32Array(blockFeatureNames.length);
    row[0] = kindOf(block);
    row[1] = depth;
    let at = 2;
    // A row is written part by part: one list of all is slow to make, and there are hundreds.
    for (const part of [
      distances,
      textFeatures(block),
      container(block),
      neighbours(index),
      place(index),
      ofPage,
    ]) {
      for (let item = 0; item < part.length; item++) row[at + item] = part[item] ?? 0;
      at += part.length;
    }
    return row;
  });
}

function elementOf({ nodes, container }: ContentBlock): HtmlElement {
  const [node] = nodes;
  // A block of one link or `pre` is best described by that.
  return nodes.length === 1 && node !== undefined && isTag(node) ? node : container;
}

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
  blocks: readonly ContentBlock[],
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
  block: ContentBlock | undefined,
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
  blocks: readonly ContentBlock[],
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
  blocks: readonly ContentBlock[],
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
