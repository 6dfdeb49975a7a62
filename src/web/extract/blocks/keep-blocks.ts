import { type ChildNode, isTag, isText } from "domhandler";

import { admonitionOf } from "../../dom/admonition.ts";
import { letters } from "../../dom/clean-text.ts";
import { addWithAncestors, isWithin, parentOf } from "../../dom/element.ts";
import { findElement, type HtmlElement, retainChildren } from "../../dom/parse-html.ts";
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

/** Elements without text that belong to the text around them. */
const wordlessNames = new Set("img picture br hr math wbr".split(" "));
/** Elements that may be the root of the rendered part: they have no meaning of their own. */
const rootNames = new Set(["div", "section", "article", "main", "body"]);

/**
 * Removes from `body` all that is not kept, and returns the smallest neutral element that holds the rest. Images beside
 * kept text stay.
 */
export function keepBlocks(
  body: HtmlElement,
  blocks: readonly ContentBlock[],
  isKept: readonly boolean[],
): HtmlElement {
  const tree: KeptTree = { holders: new Set(), written: new Set(), kept: new Set() };
  const dropped = new Set<ChildNode>();
  for (const [index, { nodes, container }] of blocks.entries()) {
    const isIn = isKept[index] === true;
    for (const node of nodes) (isIn ? tree.kept : dropped).add(node);
    addWithAncestors(container, tree.written);
    if (isIn) addWithAncestors(container, tree.holders);
  }
  prune(body, tree, dropped);
  return rootOf(body, tree);
}

interface KeptTree {
  /** Elements in which something is kept. */
  readonly holders: Set<HtmlElement>;
  /** Elements in which something was written, kept or not. */
  readonly written: Set<HtmlElement>;
  /** The nodes of kept blocks. */
  readonly kept: Set<ChildNode>;
}

function prune(body: HtmlElement, tree: KeptTree, dropped: ReadonlySet<ChildNode>): void {
  const { holders, kept } = tree;
  const waiting = [body];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    retainChildren(element, (child) => {
      if (dropped.has(child)) return false;
      if (!isTag(child) || kept.has(child) || holders.has(child)) return true;
      return isBesideKept(child, tree) && isPicture(child, tree);
    });
    for (const child of element.children) {
      if (isTag(child) && holders.has(child) && !kept.has(child)) waiting.push(child);
    }
  }
}

function isBesideKept({ prev, next }: HtmlElement, { holders, kept }: KeptTree): boolean {
  const isKept = (node: ChildNode | null): boolean =>
    node !== null && (kept.has(node) || (isTag(node) && holders.has(node)));
  const before = prev !== null && isText(prev) && !kept.has(prev) ? prev.prev : prev;
  const after = next !== null && isText(next) && !kept.has(next) ? next.next : next;
  return isKept(before) || isKept(after);
}

/** A picture, rule, line break or formula without words of its own. */
function isPicture(element: HtmlElement, { written }: KeptTree): boolean {
  if (written.has(element)) return false;
  if (wordlessNames.has(element.name)) return true;
  return findElement(element, ({ name }) => name === "img") !== undefined;
}

/** Goes down from `body` as long as all that is kept is in one child. */
function rootOf(body: HtmlElement, tree: KeptTree): HtmlElement {
  let root = body;
  let at: HtmlElement | undefined = body;
  while (at !== undefined) {
    if (rootNames.has(at.name)) root = at;
    at = onlyHolder(at, tree);
  }
  return root;
}

/** The child that holds all that is kept of `element`; undefined when more than one does, or none. */
function onlyHolder(
  { children }: HtmlElement,
  { holders, kept }: KeptTree,
): HtmlElement | undefined {
  const held = children.filter((child) => isTag(child) || kept.has(child));
  const [only] = held;
  if (held.length !== 1 || only === undefined || !isTag(only)) return undefined;
  return holders.has(only) ? only : undefined;
}
