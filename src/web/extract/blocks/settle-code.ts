import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type { Block } from "./block.ts";

/** Code less likely than this is something else: a form to copy, a comment. */
const opinionMin = 0.1;
/** How far below the same element code and text may be: in a list, or a box. */
const levelsMax = 3;

/** Keeps code right beside kept text: it is the reason why readers open documentation. */
export function settleCode(
  blocks: readonly Block[],
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
      return other !== undefined && isKept[near] === true && isWithin(other.container, holder);
    });
  });
}

/** The element that holds code together with other things: highlighters wrap it. */
function holderOf(code: HtmlElement): HtmlElement {
  let at = code;
  for (let level = 0; level < levelsMax; level++) {
    const { parent } = at;
    if (parent === null || !isTag(parent)) return at;
    at = parent;
    if (parent.children.filter(isTag).length > 1) return at;
  }
  return at;
}

function isWithin(element: HtmlElement, holder: HtmlElement): boolean {
  let at: HtmlElement | undefined = element;
  for (let level = 0; at !== undefined && level <= levelsMax; level++) {
    if (at === holder) return true;
    at = at.parent !== null && isTag(at.parent) ? at.parent : undefined;
  }
  return false;
}
