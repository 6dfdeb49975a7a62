import { type ChildNode, isTag } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import type { Block } from "./block.ts";
import { isBlockName } from "./element-kinds.ts";
import { type Footnotes, findFootnotes } from "./footnotes.ts";

/** Facts about elements that are needed again and again, found in one pass over the tree. */
interface Survey {
  /** Elements of the running text that have blocks somewhere inside. */
  readonly hasBlocks: ReadonlySet<HtmlElement>;
  readonly footnotes: Footnotes;
}

export function surveyTree(root: HtmlElement): Survey {
  const hasBlocks = new Set<HtmlElement>();
  const references: HtmlElement[] = [];
  const byId = new Map<string, HtmlElement>();
  const stack: ChildNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isTag(node)) continue;
    if (node !== root && isBlockName(node.name)) markAncestors(node, root, hasBlocks);
    const { id, href } = node.attribs;
    if (id !== undefined && !byId.has(id)) byId.set(id, node);
    if (node.name === "a" && href?.startsWith("#") === true) references.push(node);
    for (const child of node.children) stack.push(child);
  }
  return { hasBlocks, footnotes: findFootnotes(references, byId) };
}

/** Up to the first one that is known: each element is marked once. */
function markAncestors(element: HtmlElement, root: HtmlElement, marked: Set<HtmlElement>): void {
  for (let { parent } = element; parent !== null && isTag(parent); { parent } = parent) {
    if (marked.has(parent)) return;
    marked.add(parent);
    if (parent === root) return;
  }
}

/** One conversion: what it knows of the page, and what it may still write. */
export interface Reading {
  readonly baseUrl: string;
  readonly style: "markdown" | "text";
  readonly survey: Survey;
  readonly budget: Budget;
  /** Both are given here so that the parts that call each other need not import each other. */
  readonly readBlocks: (nodes: readonly ChildNode[], place: Place, reading: Reading) => Block[];
  readonly readInline: (nodes: readonly ChildNode[], place: Place, reading: Reading) => string;
}

/** The place in the page: the form of an element depends on its ancestors. */
export interface Place {
  /** The ancestors that make a difference. */
  readonly depth: number;
  /** Lists, quotes and table cells around it. */
  readonly nesting: number;
  readonly isCell: boolean;
  /** On one line: headings, terms, summaries. */
  readonly isLine: boolean;
  readonly isStrong: boolean;
  readonly isEmphasis: boolean;
  readonly isStruck: boolean;
  /** Inside a link, or around one: its text has no links of its own. */
  readonly isLink: boolean;
}

export const outermostPlace: Place = {
  depth: 0,
  nesting: 0,
  isCell: false,
  isLine: false,
  isStrong: false,
  isEmphasis: false,
  isStruck: false,
  isLink: false,
};

/** Deeper elements are read as text alone: browsers stop nesting at the same depth. */
export const elementDepthMax = 512;
/** Lists, quotes and cells in each other; deeper ones are put at this level. Prefixes of lines stay short. */
export const nestingMax = 12;
/** Characters written at most: short links can grow by the length of the page's address, each. */
const outputCharsMax = 16 * 1024 * 1024;

/** Characters that may still be written. What is over the budget is left out. */
export class Budget {
  #left = outputCharsMax;

  /** True when `chars` more fit. */
  take(chars: number): boolean {
    this.#left -= chars;
    return this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}

/** Everything in `nodes` as one line. */
export function readLine(nodes: readonly ChildNode[], place: Place, reading: Reading): string {
  return reading.readInline(nodes, { ...place, isLine: true }, reading).trim();
}

/** The element's own nesting of lists, quotes and cells, one deeper. */
export function nested(place: Place): Place {
  return { ...place, nesting: place.nesting + 1 };
}
