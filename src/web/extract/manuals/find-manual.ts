import { findElements } from "../../dom/walk.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";
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
