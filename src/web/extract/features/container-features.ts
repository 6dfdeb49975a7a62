import { parentOf } from "../../dom/element.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";
import type { ContentBlock } from "../blocks/find-blocks.ts";
import type { PageFacts } from "../page-facts.ts";

/** Shorter blocks say nothing about where the text is. */
const proseCharsMin = 25;
/** Points that a block gives to its ancestors, by levels up. */
const shares = [1, 0.7, 0.45, 0.25, 0.12] as const;

/** The amount of prose below each element; near prose has more weight than deep prose. */
interface Candidates {
  readonly scores: ReadonlyMap<HtmlElement, number>;
  readonly best: HtmlElement | undefined;
  readonly bestScore: number;
}

/** Scores elements by the prose in them. */
function scoreCandidates(blocks: readonly ContentBlock[]): Candidates {
  const scores = new Map<HtmlElement, number>();
  for (const { container, chars, linkChars, stops } of blocks) {
    const own = chars - linkChars;
    if (own < proseCharsMin) continue;
    const points = (1 + Math.min(stops, 15) + Math.min(own / 100, 6)) * (own / chars);
    let at: HtmlElement | undefined = container;
    for (const share of shares) {
      if (at === undefined) break;
      scores.set(at, (scores.get(at) ?? 0) + points * share);
      at = parentOf(at);
    }
  }
  let best: HtmlElement | undefined;
  let bestScore = 0;
  for (const [element, score] of scores) {
    if (score > bestScore) {
      best = element;
      bestScore = score;
    }
  }
  return { scores, best, bestScore };
}

/** Levels whose text is described: the block's container and its ancestors. */
const levels = 4;
/** How many times the text of a block its surroundings have. */
const surroundingTimes = 5;

export const containerFeatureNames: readonly string[] = [
  ...Array.from({ length: levels }, (_, level) => [
    `up${level}.chars`,
    `up${level}.links`,
    `up${level}.stops`,
    `up${level}.share`,
  ]).flat(),
  "around.chars",
  "around.links",
  "around.stops",
  "around.levels",
  "top.levels",
  "top.score",
  "top.contains",
  "same.count",
  "same.chars",
  "same.links",
  "same.mean",
];

/** Describes the containers of blocks, how much like other blocks they are, and how near to the most prose. */
export function createContainerFeatures(
  page: PageFacts,
  blocks: readonly ContentBlock[],
): (block: ContentBlock) => number[] {
  const candidates = scoreCandidates(blocks);
  const topChain = ancestorsOf(candidates.best);
  const looks = countLooks(blocks);
  const total = Math.max(page.measure(page.body).chars, 1);
  return (block) => {
    const features: number[] = [];
    addLevels(features, page, block, total);
    addAround(features, page, block);
    addTop(features, block, topChain, candidates);
    addLook(features, looks.get(lookOf(block)));
    return features;
  };
}

function addLevels(features: number[], page: PageFacts, block: ContentBlock, total: number): void {
  let at: HtmlElement | undefined = block.container;
  for (let level = 0; level < levels; level++) {
    const { chars, linkChars, stops } =
      at === undefined ? page.measure(page.body) : page.measure(at);
    features.push(
      Math.log1p(chars),
      linkChars / Math.max(chars, 1),
      (100 * stops) / Math.max(chars, 1),
      chars / total,
    );
    at = at === undefined ? undefined : parentOf(at);
  }
}

function addAround(features: number[], page: PageFacts, block: ContentBlock): void {
  let at: HtmlElement = block.container;
  let up = 0;
  for (; page.measure(at).chars < surroundingTimes * block.chars + 200; up++) {
    const parent = parentOf(at);
    if (parent === undefined) break;
    at = parent;
  }
  const { chars, linkChars, stops } = page.measure(at);
  features.push(
    Math.log1p(chars),
    linkChars / Math.max(chars, 1),
    (100 * stops) / Math.max(chars, 1),
    up,
  );
}

function addTop(
  features: number[],
  block: ContentBlock,
  topChain: ReadonlyMap<HtmlElement, number>,
  { bestScore, scores }: Candidates,
): void {
  let at: HtmlElement | undefined = block.container;
  let score = 0;
  while (at !== undefined && !topChain.has(at)) {
    score = Math.max(score, scores.get(at) ?? 0);
    at = parentOf(at);
  }
  // Levels from the element with the most prose up to the first that also holds this block.
  const up = at === undefined ? topChain.size : (topChain.get(at) ?? 0);
  features.push(up, score / Math.max(bestScore, 1), up === 0 ? 1 : 0);
}

function ancestorsOf(element: HtmlElement | undefined): Map<HtmlElement, number> {
  const chain = new Map<HtmlElement, number>();
  for (let at = element; at !== undefined; at = parentOf(at)) chain.set(at, chain.size);
  return chain;
}

interface Look {
  count: number;
  chars: number;
  linkChars: number;
}

/** Blocks that look alike: same elements with the same classes, three levels up. */
function countLooks(blocks: readonly ContentBlock[]): Map<string, Look> {
  const looks = new Map<string, Look>();
  for (const block of blocks) {
    const name = lookOf(block);
    const look = looks.get(name) ?? { count: 0, chars: 0, linkChars: 0 };
    look.count++;
    look.chars += block.chars;
    look.linkChars += block.linkChars;
    looks.set(name, look);
  }
  return looks;
}

/** Looks by container; three questions are asked about each block. */
const knownLooks = new WeakMap<HtmlElement, string>();

/** The elements that contain a block, and their classes, as one text. */
export function lookOf({ container }: ContentBlock): string {
  const known = knownLooks.get(container);
  if (known !== undefined) return known;
  let name = "";
  let at: HtmlElement | undefined = container;
  for (let level = 0; level < 3 && at !== undefined; level++) {
    name += `${at.name}.${(at.attribs["class"] ?? "").slice(0, 80)}>`;
    at = parentOf(at);
  }
  knownLooks.set(container, name);
  return name;
}

function addLook(features: number[], look: Look | undefined): void {
  const { count, chars, linkChars } = look ?? { count: 1, chars: 1, linkChars: 0 };
  features.push(
    Math.log1p(count),
    Math.log1p(chars),
    linkChars / Math.max(chars, 1),
    chars / count,
  );
}
