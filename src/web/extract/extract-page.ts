import { isTag } from "domhandler";

import { createInside, isWithin, lineText, parentOf } from "../dom/element.ts";
import { type HtmlElement, findElements } from "../dom/parse-html.ts";
import { type ContentBlock, findBlocks } from "./blocks/find-blocks.ts";
import { chooseCut, evenTables, judgeBlocks, weightOf } from "./blocks/judge-blocks.ts";
import { keepBlocks, settleHeadings, settleLeads } from "./blocks/keep-blocks.ts";
import { findKind } from "./kinds/find-kind.ts";
import { findManual, keepManual } from "./find-manual.ts";
import { blockModel, type BlockModel } from "./model/block-model.ts";
import {
  type Extraction,
  type KindCandidate,
  type PageFacts,
  type PageKind,
  readPageFacts,
} from "./page-facts.ts";
import { articleVote } from "./article-vote.ts";

/** Code less likely than this is something else: a form to copy, a comment. */
const opinionMin = 0.1;
/** How far below the same element code and text may be: in a list, or a box. */
const levelsMax = 3;

/** Keeps code right beside kept text: it is the reason why readers open documentation. */
export function settleCode(
  blocks: readonly ContentBlock[],
  opinions: readonly number[],
  isKept: readonly boolean[],
): boolean[] {
  return isKept.map((kept, index) => {
    const block = blocks[index];
    if (kept || block?.container.name !== "pre") return kept;
    if ((opinions[index] ?? 0) < opinionMin) return false;
    const holder = holderOf(block.container);
    return [index - 1, index + 1].some((near) => {
      const other = blocks[near];
      return (
        other !== undefined && isKept[near] === true && isWithin(other.container, holder, levelsMax)
      );
    });
  });
}

/** The element that holds code together with other things: highlighters wrap it. */
function holderOf(code: HtmlElement): HtmlElement {
  let at = code;
  for (let level = 0; level < levelsMax; level++) {
    const parent = parentOf(at);
    if (parent === undefined) return at;
    at = parent;
    if (parent.children.filter(isTag).length > 1) return at;
  }
  return at;
}

/** Elements that are beside the text by their name. */
const besideNames = new Set(["nav", "footer", "aside", "header"]);

/**
 * Whether each block is in the part that the page itself marks as its main part. For pages with too many blocks to
 * judge each (lists and tables without end, most likely, which are content or not as a whole), and for those with too
 * few to judge by.
 */
export function keepMarked(page: PageFacts, blocks: readonly ContentBlock[]): boolean[] {
  const isInside = createInside(new Set([largestMain(page)]), besideNames);
  return blocks.map(({ container }) => isInside(container));
}

function largestMain({ body, measure }: PageFacts): HtmlElement {
  const marked = findElements(
    body,
    ({ name, attribs }) => name === "main" || name === "article" || attribs["role"] === "main",
  );
  let largest = body;
  let chars = measure(body).chars / 2;
  for (const element of marked) {
    if (measure(element).chars <= chars) continue;
    largest = element;
    chars = measure(element).chars;
  }
  return largest;
}

/** The smallest annotated page has 15 blocks and 900 characters: of smaller ones the model has seen none. */
const judgedBlocksMin = 15;
const judgedCharsMin = 900;

function isSmall(blocks: readonly ContentBlock[]): boolean {
  const chars = blocks.reduce((sum, block) => sum + block.chars, 0);
  return blocks.length < judgedBlocksMin || chars < judgedCharsMin;
}

/**
 * Keeps all of a small page that is neither beside its main part nor made of links, besides the model's choice: there
 * is little to lose and nothing to judge by. A heading that repeats the title is said already.
 */
function keepSmall(
  page: PageFacts,
  blocks: readonly ContentBlock[],
  chosen: readonly boolean[],
): boolean[] {
  const marked = keepMarked(page, blocks);
  return blocks.map(({ text, chars, linkChars }, index) => {
    if (chosen[index] === true) return true;
    return marked[index] === true && linkChars * 2 < chars && text !== page.title;
  });
}

/** Blocks that are judged one by one, in less than a second; the largest pages that people read have a quarter. */
const judgedBlocksMax = 20_000;
/** Expected F1 above which nothing else is tried: the choice of blocks is as good as any. */
const certainMin = 0.97;
/** Expected F1 below which a doubtful article is put to the vote. */
const doubtfulMax = 0.88;

/**
 * Below which expected F1 of the blocks the structure of a kind is believed instead, and from which
 * confidence on. Measured by cross-validation: `scripts/readdocs/train.ts --check` gives the first.
 */
const kindRules: Readonly<Record<PageKind, { expectedMax: number; confidenceMin: number }>> = {
  forum: { expectedMax: certainMin, confidenceMin: 0.9 },
  listing: { expectedMax: 0.95, confidenceMin: 0.8 },
  collection: { expectedMax: 0.95, confidenceMin: 0.8 },
  product: { expectedMax: 0.9, confidenceMin: 0.6 },
};

/**
 * Takes out of a page the part that its reader came for. `url` is the final URL of the page.
 * An empty page gives an empty root. Cross-validation brings its own `model`.
 * @throws {AppError} `limit` for HTML that no tree can be made of, as `parseHtml` says.
 */
export async function extractPage(
  html: string,
  url: string,
  model: BlockModel = blockModel(),
): Promise<Extraction> {
  const page = readPageFacts(html, url);
  const root = await findMain(page, model);
  return {
    title: page.title,
    language: findLanguage(page),
    root,
    baseUrl: page.baseUrl,
    textChars: lineText(root).length,
  };
}

async function findMain(page: PageFacts, model: BlockModel): Promise<HtmlElement> {
  const blocks = findBlocks(page.body, page.measure);
  const manual = findManual(page);
  const prose = blocks.map(({ chars, linkChars }) => chars - linkChars);
  const text = manual && keepManual(manual, blocks, prose);
  if (text !== undefined) return keepBlocks(page.body, blocks, text);
  if (blocks.length > judgedBlocksMax) {
    return keepBlocks(page.body, blocks, keepMarked(page, blocks));
  }
  const opinions = evenTables(blocks, judgeBlocks(page, blocks, model));
  const cut = chooseCut(opinions, blocks.map(weightOf));
  const chosen = opinions.map((opinion) => opinion >= cut.opinion);
  if (isSmall(blocks)) return keepBlocks(page.body, blocks, keepSmall(page, blocks, chosen));
  const kind = cut.expected < certainMin ? findKind(page) : undefined;
  if (kind !== undefined && isBelieved(kind, cut.expected)) return kind.root;
  const vote = cut.expected < doubtfulMax ? await articleVote(page, blocks, opinions) : undefined;
  const kept = settleCode(blocks, opinions, vote ?? chosen);
  return keepBlocks(
    page.body,
    blocks,
    settleLeads(blocks, settleHeadings(blocks, opinions, kept, page.title)),
  );
}

function isBelieved({ kind, confidence }: KindCandidate, expected: number): boolean {
  const { expectedMax, confidenceMin } = kindRules[kind];
  return expected < expectedMax && confidence >= confidenceMin;
}

function findLanguage(page: PageFacts): string {
  const html = page.document.children.find((child) => "attribs" in child);
  return html === undefined ? "" : (html.attribs["lang"] ?? "");
}
