import type { Block } from "../blocks/block.ts";
import { phraseCount, phraseFeatures } from "./text-features.ts";

const offsets = [-3, -2, -1, 1, 2, 3] as const;

const headingNames: ReadonlySet<string> = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);

export const neighbourFeatureNames: readonly string[] = [
  ...offsets.flatMap((offset) => [
    `at${offset}.chars`,
    `at${offset}.links`,
    `at${offset}.heading`,
    `at${offset}.same`,
  ]),
  "heading.level",
  "heading.distance",
  ...Array.from({ length: phraseCount }, (_, index) => `heading.phrase.${index}`),
  "window.chars",
  "window.links",
];

/** Blocks to each side that the window has. */
const windowReach = 6;

/** Describes the neighbours before and after a block, and the heading above it. */
export function createNeighbourFeatures(blocks: readonly Block[]): (index: number) => number[] {
  const headings = governingHeadings(blocks);
  const chars = prefixSums(blocks.map((block) => block.chars));
  const linkChars = prefixSums(blocks.map((block) => block.linkChars));
  const noPhrases: readonly number[] = Array.from({ length: phraseCount }, () => 0);
  /** By the index of the heading; -1 is none. */
  const phrases = new Map([[-1, noPhrases]]);
  return (index) => {
    const features: number[] = [];
    for (const offset of offsets) addNeighbour(features, blocks, index, offset);
    const heading = headings[index] ?? -1;
    if (heading === -1) features.push(0, -1);
    else features.push(levelOf(blocks[heading]), Math.log1p(sumBetween(chars, heading, index)));
    const known = phrases.get(heading) ?? phraseFeatures(blocks[heading]?.text ?? "");
    phrases.set(heading, known);
    for (const phrase of known) features.push(phrase);
    const from = Math.max(0, index - windowReach);
    const to = Math.min(blocks.length, index + windowReach + 1);
    const near = sumBetween(chars, from, to);
    features.push(Math.log1p(near), sumBetween(linkChars, from, to) / Math.max(near, 1));
    return features;
  };
}

function addNeighbour(
  features: number[],
  blocks: readonly Block[],
  index: number,
  offset: number,
): void {
  const other = blocks[index + offset];
  if (other === undefined) {
    features.push(-1, 0, 0, 0);
    return;
  }
  const mine = blocks[index];
  const isBeside =
    other.container === mine?.container || other.container.parent === mine?.container.parent;
  features.push(
    Math.log1p(other.chars),
    other.linkChars / other.chars,
    levelOf(other),
    isBeside ? 1 : 0,
  );
}

/** The level of a heading; 0 for any other block. */
function levelOf(block: Block | undefined): number {
  const name = block?.container.name ?? "";
  return headingNames.has(name) ? Number(name.slice(1)) : 0;
}

/** For each block the index of the last heading before it; -1 for none. */
function governingHeadings(blocks: readonly Block[]): number[] {
  let last = -1;
  return blocks.map((block, index) => {
    const above = last;
    if (levelOf(block) > 0) last = index;
    return above;
  });
}

/** `sums[i]` is the sum of the first `i`. */
export function prefixSums(values: readonly number[]): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [index, value] of values.entries()) sums[index + 1] = (sums[index] ?? 0) + value;
  return sums;
}

/** The sum of the values from the index `from` on, without that at `to`. */
function sumBetween(sums: Float64Array, from: number, to: number): number {
  return (sums[to] ?? 0) - (sums[from] ?? 0);
}
