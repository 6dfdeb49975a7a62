import { lineText } from "../dom/node-text.ts";
import type { HtmlElement } from "../dom/parse-html.ts";
import { chooseCut } from "./blocks/choose-cut.ts";
import { evenTables } from "./blocks/even-tables.ts";
import { findBlocks } from "./blocks/find-blocks.ts";
import { judgeBlocks, weightOf } from "./blocks/judge-blocks.ts";
import { keepBlocks } from "./blocks/keep-blocks.ts";
import { keepMarked } from "./blocks/keep-marked.ts";
import { isSmall, keepSmall } from "./blocks/keep-small.ts";
import { settleCode } from "./blocks/settle-code.ts";
import { settleHeadings } from "./blocks/settle-headings.ts";
import { settleLeads } from "./blocks/settle-leads.ts";
import type { Extraction } from "./extraction.ts";
import { findKind } from "./kinds/find-kind.ts";
import type { KindCandidate, PageKind } from "./kind-candidate.ts";
import { blockModel } from "./model/block-model.ts";
import type { BlockModel } from "./model/block-model.ts";
import { findManual } from "./manuals/find-manual.ts";
import { keepManual } from "./manuals/keep-manual.ts";
import type { PageFacts } from "./page-facts.ts";
import { readPage } from "./read-page.ts";
import { articleVote } from "./voters/article-vote.ts";

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
  const page = readPage(html, url);
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
  const likely = blocks.map((block, index) => (chosen[index] === true ? weightOf(block) : 0));
  const small = manual && keepManual(manual, blocks, likely);
  if (small !== undefined) return keepBlocks(page.body, blocks, small);
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
