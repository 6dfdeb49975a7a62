import type { ContentBlock } from "../blocks/find-blocks.ts";
import type { PageFacts } from "../page-facts.ts";
import { phraseCount, phraseFeatures } from "./text-features.ts";

/** Blocks with so much text outside of links are prose. */
const proseCharsMin = 100;
/** Words of a run, as `runAt` writes it. */
const runWords = 4;
/** Words of an article's body that are looked up. */
const bodyWordsMax = 50_000;

export const placeFeatureNames: readonly string[] = [
  "place.part",
  "place.index",
  "place.fromEnd",
  "place.afterTitle",
  "place.titleChars",
  "place.isTitle",
  "place.titleWords",
  "place.prose.before",
  "place.prose.after",
  "place.prose.gapBefore",
  "place.prose.gapAfter",
  "place.repeated",
  "place.body",
  "place.hasBody",
  "place.description",
];

/**
 * Describes where on the page a block is: among the prose, after the title, in the part that the page names as its
 * body.
 */
export function createPlaceFeatures(
  page: PageFacts,
  blocks: readonly ContentBlock[],
): (index: number) => number[] {
  const sums = prefixSums(blocks.map(({ chars }) => chars));
  const total = Math.max(sums.at(-1) ?? 0, 1);
  const isProse = blocks.map(({ chars, linkChars }) => chars - linkChars > proseCharsMin);
  const proseSums = prefixSums(
    blocks.map(({ chars }, index) => (isProse[index] === true ? chars : 0)),
  );
  const proseTotal = Math.max(proseSums.at(-1) ?? 0, 1);
  const previous = lastSeen(isProse);
  const next = lastSeen(isProse.toReversed()).toReversed();
  const title = findTitleBlock(page, blocks);
  const titleStart = sums[title] ?? 0;
  const titleWords = new Set(wordsOf(page.title));
  const repeats = countTexts(blocks);
  const body = runsOf(wordsOf(page.structured.articleBody).slice(0, bodyWordsMax));
  const hasBody = body.runs.size === 0 ? 0 : 1;
  const description = runsOf(wordsOf(page.structured.description));
  return (index) => {
    const block = blocks[index];
    const text = block?.text ?? "";
    const words = wordsOf(text);
    const start = sums[index] ?? 0;
    return [
      start / total,
      Math.log1p(index),
      Math.log1p(blocks.length - index),
      title === -1 ? 0 : Math.sign(index - title),
      title === -1 ? -1 : Math.log1p(Math.abs(start - titleStart)),
      index === title ? 1 : 0,
      partIn(words, titleWords),
      (proseSums[index] ?? 0) / proseTotal,
      1 - (proseSums[index + 1] ?? 0) / proseTotal,
      logDistance(previous[index] ?? -1),
      logDistance(next[index] ?? -1),
      Math.log1p(repeats.get(text) ?? 1),
      overlap(words, body),
      hasBody,
      overlap(words, description),
    ];
  };
}

/** For each index the distance back to the nearest true value, itself included; -1 for none. */
function lastSeen(values: readonly boolean[]): number[] {
  let last = -1;
  return values.map((value, index) => {
    if (value) last = index;
    return last === -1 ? -1 : index - last;
  });
}

/** -1, a distance to nothing, stays -1. */
function logDistance(distance: number): number {
  return distance === -1 ? -1 : Math.log1p(distance);
}

/** The first heading that is the title, else the first `h1`; -1 for none. */
function findTitleBlock(page: PageFacts, blocks: readonly ContentBlock[]): number {
  const title = wordsOf(page.title).join(" ");
  const isHeading = ({ container }: ContentBlock): boolean => /^h[1-3]$/.test(container.name);
  const same = blocks.findIndex(
    (block) => title !== "" && isHeading(block) && wordsOf(block.text).join(" ") === title,
  );
  return same === -1 ? blocks.findIndex(({ container }) => container.name === "h1") : same;
}

function countTexts(blocks: readonly ContentBlock[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of blocks) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Runs of words, and the words that they begin with: most words begin none, and need not be joined. */
interface Runs {
  readonly runs: ReadonlySet<string>;
  readonly starts: ReadonlySet<string>;
}

function runsOf(words: readonly string[]): Runs {
  const runs = new Set<string>();
  const starts = new Set<string>();
  for (let index = 0; index + runWords <= words.length; index++) {
    runs.add(runAt(words, index));
    starts.add(words[index] ?? "");
  }
  return { runs, starts };
}

/** Made of four: a list of them for each word of a page takes longer. */
function runAt(words: readonly string[], index: number): string {
  return `${words[index]} ${words[index + 1]} ${words[index + 2]} ${words[index + 3]}`;
}

/** The part of `words` that are among `wanted`. */
function partIn(words: readonly string[], wanted: ReadonlySet<string>): number {
  if (words.length === 0) return 0;
  let count = 0;
  for (const word of words) if (wanted.has(word)) count++;
  return count / words.length;
}

/** The part of the runs of `words` that are among `runs`. */
function overlap(words: readonly string[], { runs, starts }: Runs): number {
  if (runs.size === 0 || words.length < runWords) return 0;
  let found = 0;
  for (let index = 0; index + runWords <= words.length; index++) {
    if (starts.has(words[index] ?? "") && runs.has(runAt(words, index))) found++;
  }
  return found / (words.length - runWords + 1);
}

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
export function createNeighbourFeatures(
  blocks: readonly ContentBlock[],
): (index: number) => number[] {
  const headings = governingHeadings(blocks);
  const chars = prefixSums(blocks.map((block) => block.chars));
  const linkChars = prefixSums(blocks.map((block) => block.linkChars));
  const noPhrases: readonly number[] = Array.from({ length: phraseCount }, () => 0);
  /** By the index of the heading; -1 means that there is none. */
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
  blocks: readonly ContentBlock[],
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
function levelOf(block: ContentBlock | undefined): number {
  const name = block?.container.name ?? "";
  return headingNames.has(name) ? Number(name.slice(1)) : 0;
}

/** For each block the index of the last heading before it; -1 for none. */
function governingHeadings(blocks: readonly ContentBlock[]): number[] {
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
