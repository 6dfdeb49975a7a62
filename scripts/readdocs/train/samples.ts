import { type ContentBlock, findBlocks } from "../../../src/web/extract/blocks/find-blocks.ts";
import { blockFeatures } from "../../../src/web/extract/features/block-features.ts";
import { readPageFacts } from "../../../src/web/extract/page-facts.ts";
import { alignWords } from "./align.ts";

/** One page as the trainer sees it. */
export interface PageSamples {
  readonly id: string;
  readonly blocks: readonly ContentBlock[];
  readonly rows: readonly Float32Array[];
  /** The part of each block's words that is in the truth. */
  readonly labels: readonly number[];
  /** Words of each block. */
  readonly words: readonly number[];
}

/** Cuts a page into blocks and marks those that its truth has. */
export function samplesOf(id: string, html: string, url: string, truth: string): PageSamples {
  const page = readPageFacts(html, url);
  const blocks = findBlocks(page.body, page.measure);
  const rows = blockFeatures(page, blocks);
  const words = blocks.map(({ text }) => wordsOf(text));
  const matched = alignWords(words.flat(), wordsOf(truth));
  let at = 0;
  const labels = words.map((own) => {
    let found = 0;
    for (let index = 0; index < own.length; index++) if (matched[at++] === true) found++;
    return own.length === 0 ? 0 : found / own.length;
  });
  return { id, blocks, rows, labels, words: words.map((own) => own.length) };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
