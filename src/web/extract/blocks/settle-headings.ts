import { admonitionOf } from "../../dom/admonition.ts";
import { letters } from "../../dom/clean-text.ts";
import { isWithin, parentOf } from "../../dom/element.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";
import type { ContentBlock } from "./find-blocks.ts";

/** A heading less likely than this belongs to something else, whatever follows it. */
const opinionMin = 0.08;
/** A heading more likely than this stays, even when nothing of its section does. */
const opinionSure = 0.8;
/** Blocks to look for the text of a title in: a date and a choice of languages may come first. */
const titleReach = 3;

/**
 * Makes headings follow the content below them: one whose text is kept is kept, one whose section goes goes with it.
 * Headings of the first level are titles, which are kept for themselves, and above text that is kept: surely where
 * `title`, the title of the page, says something else.
 */
export function settleHeadings(
  blocks: readonly ContentBlock[],
  opinions: readonly number[],
  isKept: readonly boolean[],
  title: string,
): boolean[] {
  const settled = [...isKept];
  // From the end, so that a heading above a heading finds that one settled.
  for (let index = blocks.length - 2; index >= 0; index--) {
    const level = headingLevel(blocks[index]);
    const opinion = opinions[index] ?? 0;
    if (level === 1 && settled[index] !== true) {
      settled[index] = isTitle(blocks, settled, index, opinion, title);
    }
    if (level < 2) continue;
    const nextLevel = headingLevel(blocks[index + 1]);
    const beginsText = nextLevel === 0 || nextLevel > level;
    if (settled[index] !== true) {
      settled[index] = beginsText && settled[index + 1] === true && opinion >= opinionMin;
    } else if (opinion < opinionSure && beginsText) {
      settled[index] = hasKeptSection(blocks, settled, index, level);
    }
  }
  return settled;
}

function isTitle(
  blocks: readonly ContentBlock[],
  settled: readonly boolean[],
  heading: number,
  opinion: number,
  title: string,
): boolean {
  const [block, next] = [blocks[heading], blocks[heading + 1]];
  if (block === undefined || next === undefined || headingLevel(next) === 1) return false;
  if (settled[heading + 1] === true && opinion >= opinionMin) return true;
  if (isSaid(block.text, title)) return false;
  if (settled[heading + 1] === true) return block.container.parent === next.container.parent;
  return (
    opinion >= opinionMin && settled.slice(heading + 1, heading + 1 + titleReach).includes(true)
  );
}

/** Whether the title of the page says the same as a heading. */
function isSaid(heading: string, title: string): boolean {
  return letters(title).includes(letters(heading));
}

function hasKeptSection(
  blocks: readonly ContentBlock[],
  settled: readonly boolean[],
  heading: number,
  level: number,
): boolean {
  for (let index = heading + 1; index < blocks.length; index++) {
    const next = headingLevel(blocks[index]);
    if (next > 0 && next <= level) return false;
    if (settled[index] === true) return true;
  }
  return false;
}

/** 1 to 6; 0 for a block that is not a heading. */
function headingLevel(block: ContentBlock | undefined): number {
  const match = /^h([1-6])$/.exec(block?.container.name ?? "");
  return match === null ? 0 : Number(match[1]);
}

/** How far above its text the title of a note may be: icons and headings surround it. */
const titleLevelsMax = 3;
/** How far below its heading the text begins. */
const levelsMax = 15;

/** Keeps the titles of notes and the terms of lists whose text is kept: without them it says something else. */
export function settleLeads(
  blocks: readonly ContentBlock[],
  isKept: readonly boolean[],
): boolean[] {
  const settled = [...isKept];
  // From the end, so that one term after another finds the last of them settled.
  for (let index = blocks.length - 2; index >= 0; index--) {
    const [block, next] = [blocks[index], blocks[index + 1]];
    if (block === undefined || next === undefined) continue;
    if (settled[index] === true || settled[index + 1] !== true) continue;
    const holder = ledBy(block.container);
    settled[index] = holder !== undefined && isWithin(next.container, holder, levelsMax);
  }
  return settled;
}

/** The note that `element` is the title of, or the list that it is a term of. */
function ledBy(element: HtmlElement): HtmlElement | undefined {
  let at = element;
  for (let level = 0; level < titleLevelsMax; level++) {
    const parent = parentOf(at);
    if (parent === undefined) return undefined;
    if (at.name === "dt" || admonitionOf(parent)?.title === at.children) return parent;
    at = parent;
  }
  return undefined;
}
