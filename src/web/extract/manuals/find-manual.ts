import { hasChildren, isTag, type ParentNode } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import { findElements, retainChildren } from "../../dom/walk.ts";
import type { ContentBlock } from "../blocks/find-blocks.ts";
import { matchesPattern, type ElementPattern } from "../kinds/element-pattern.ts";
import type { PageFacts } from "../page-facts.ts";
import { besideEverywhere, manualLayouts, type ManualLayout } from "./manual-layouts.ts";

/** A page that a generator of documentation has written. */
export interface Manual {
  /** The elements that hold its text. */
  readonly roots: ReadonlySet<HtmlElement>;
  readonly isBeside: (element: HtmlElement) => boolean;
}

/** The text of a page of documentation, where its generator has a mark for it. */
export function findManual({ body, signs }: PageFacts): Manual | undefined {
  for (const layout of manualLayouts) {
    if (!signs.some((sign) => layout.sign.test(sign))) continue;
    const roots = findText(body, layout);
    if (roots.size === 0) continue;
    const beside = [...besideEverywhere, ...layout.beside];
    return { roots, isBeside: (element) => matchesAny(element, beside) };
  }
  return undefined;
}

function findText(body: HtmlElement, { text }: ManualLayout): Set<HtmlElement> {
  for (const way of text) {
    const found = [body, ...findElements(body, (element) => matchesAny(element, way))].filter(
      (element) => matchesAny(element, way),
    );
    if (found.length > 0) return new Set(found);
  }
  return new Set();
}

function matchesAny(element: HtmlElement, patterns: readonly ElementPattern[]): boolean {
  return patterns.some((pattern) => matchesPattern(element, pattern));
}

/** The text of a manual has at least this part of the weight of its page; else it is a part of the text. */
const sharedMin = 0.5;

/**
 * The blocks in the text of a manual: all of it, since its readers look for its tables, notes, terms and titles.
 * Elements beside it leave the document. Undefined, and nothing is changed, where the text has little of the `weights`,
 * the weight of each block.
 */
export function keepManual(
  manual: Manual,
  blocks: readonly ContentBlock[],
  weights: readonly number[],
): boolean[] | undefined {
  const isInText = createInside(manual.roots);
  let [shared, total] = [0, 0];
  for (const [index, { container }] of blocks.entries()) {
    const weight = weights[index] ?? 0;
    total += weight;
    if (isInText(container)) shared += weight;
  }
  if (shared < total * sharedMin) return undefined;
  removeBeside(manual);
  const isStillInText = createInside(manual.roots);
  const inText = blocks.map(({ container }) => isStillInText(container));
  return inText.includes(true) ? inText : undefined;
}

/** Finds whether elements are below one of `roots`, and remembers the answers. */
function createInside(roots: ReadonlySet<HtmlElement>): (element: HtmlElement) => boolean {
  const known = new Map<HtmlElement, boolean>();
  return (element) => {
    const path: HtmlElement[] = [];
    let at: HtmlElement | undefined = element;
    let isIn: boolean | undefined;
    while (at !== undefined && isIn === undefined) {
      isIn = roots.has(at) ? true : known.get(at);
      path.push(at);
      at = at.parent !== null && isTag(at.parent) ? at.parent : undefined;
    }
    for (const passed of path) known.set(passed, isIn ?? false);
    return isIn ?? false;
  };
}

function removeBeside({ roots, isBeside }: Manual): void {
  const waiting: ParentNode[] = [...roots];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    retainChildren(node, (child) => !isTag(child) || !isBeside(child));
    for (const child of node.children) if (hasChildren(child)) waiting.push(child);
  }
}
