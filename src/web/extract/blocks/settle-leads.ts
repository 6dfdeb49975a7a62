import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import { admonitionOf } from "../../dom/admonition.ts";
import type { Block } from "./block.ts";

/** How far above its text the title of a note may be: icons and headings surround it. */
const titleLevelsMax = 3;
/** How far below what it is the lead of the text begins. */
const levelsMax = 16;

/** Keeps the titles of notes and the terms of lists whose text is kept: without them it says something else. */
export function settleLeads(blocks: readonly Block[], isKept: readonly boolean[]): boolean[] {
  const settled = [...isKept];
  // From the end, so that one term after another finds the last of them settled.
  for (let index = blocks.length - 2; index >= 0; index--) {
    const [block, next] = [blocks[index], blocks[index + 1]];
    if (block === undefined || next === undefined) continue;
    if (settled[index] === true || settled[index + 1] !== true) continue;
    const holder = ledBy(block.container);
    settled[index] = holder !== undefined && isBelow(next.container, holder);
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

function isBelow(element: HtmlElement, holder: HtmlElement): boolean {
  let at: HtmlElement | undefined = element;
  for (let level = 0; at !== undefined && level < levelsMax; level++) {
    if (at === holder) return true;
    at = parentOf(at);
  }
  return false;
}

function parentOf({ parent }: HtmlElement): HtmlElement | undefined {
  return parent !== null && isTag(parent) ? parent : undefined;
}
