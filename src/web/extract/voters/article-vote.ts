import type { Block } from "../blocks/block.ts";
import { weightOf } from "../blocks/judge-blocks.ts";
import type { PageFacts } from "../page-facts.ts";
import { writeMarkedHtml } from "./mark-blocks.ts";
import { readabilityVote } from "./readability-vote.ts";
import { treeWork } from "./tree-work.ts";

/** Types of schema.org and OpenGraph with one text at their centre. */
const articleTypes = /^(?:og:article|(?:\w*newsarticle|article|blogposting))$/;
/** Types with many texts, or none. */
const otherTypes =
  /^(?:discussionforumposting|qapage|product|collectionpage|itemlist|og:product.*)$/;
/** A voter has missed the text when its choice is less likely content than this. */
const opinionMin = 0.4;
/** Elements that are most likely something else are removed, whatever a voter says. */
const doubtMax = 0.3;
/** A voter that finds less prose, in characters, has found a teaser. */
const proseCharsMin = 700;
/** Voters take a second for so much HTML, in characters. Real articles have half of it at most. */
const htmlCharsMax = 600_000;
/** They ask elements about their ancestors, over and over: a second for so much. Real articles have a quarter at most. */
const treeWorkMax = 200_000;

/**
 * Which blocks of a doubtful article both Readability and the opinions take for content; undefined
 * where Readability has no say: on other pages it mistakes parts for the whole.
 */
export async function articleVote(
  page: PageFacts,
  blocks: readonly Block[],
  opinions: readonly number[],
): Promise<boolean[] | undefined> {
  const types = [...page.structured.types];
  if (!types.some((type) => articleTypes.test(type))) return undefined;
  if (types.some((type) => otherTypes.test(type))) return undefined;
  if (treeWork(page.body, treeWorkMax) > treeWorkMax) return undefined;
  const html = writeMarkedHtml(page.body, page.title, blocks);
  const vote = html.length > htmlCharsMax ? undefined : await readabilityVote(html, blocks);
  if (vote === undefined || meanOpinion(blocks, opinions, vote) < opinionMin) return undefined;
  if (proseChars(blocks, vote) < proseCharsMin) return undefined;
  return vote.map((isKept, index) => isKept && (opinions[index] ?? 0) > doubtMax);
}

function meanOpinion(
  blocks: readonly Block[],
  opinions: readonly number[],
  vote: readonly boolean[],
): number {
  let [sum, total] = [0, 0];
  for (const [index, block] of blocks.entries()) {
    if (vote[index] !== true) continue;
    sum += (opinions[index] ?? 0) * weightOf(block);
    total += weightOf(block);
  }
  return total === 0 ? 0 : sum / total;
}

function proseChars(blocks: readonly Block[], vote: readonly boolean[]): number {
  return blocks.reduce(
    (sum, { chars, linkChars }, index) => sum + (vote[index] === true ? chars - linkChars : 0),
    0,
  );
}
