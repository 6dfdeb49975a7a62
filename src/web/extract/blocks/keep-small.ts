import type { PageFacts } from "../page-facts.ts";
import type { Block } from "./block.ts";
import { keepMarked } from "./keep-marked.ts";

/** The smallest annotated page has 15 blocks and 900 characters: of smaller ones the model has seen none. */
const judgedBlocksMin = 15;
const judgedCharsMin = 900;

export function isSmall(blocks: readonly Block[]): boolean {
  const chars = blocks.reduce((sum, block) => sum + block.chars, 0);
  return blocks.length < judgedBlocksMin || chars < judgedCharsMin;
}

/**
 * Keeps all of a small page that is neither beside its main part nor made of links, besides the model's choice: there
 * is little to lose and nothing to judge by. A heading that repeats the title is said already.
 */
export function keepSmall(
  page: PageFacts,
  blocks: readonly Block[],
  chosen: readonly boolean[],
): boolean[] {
  const marked = keepMarked(page, blocks);
  return blocks.map(({ text, chars, linkChars }, index) => {
    if (chosen[index] === true) return true;
    return marked[index] === true && linkChars * 2 < chars && text !== page.title;
  });
}
