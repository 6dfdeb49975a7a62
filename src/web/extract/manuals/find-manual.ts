import { findElements } from "../../dom/walk.ts";
import type { HtmlDocument, HtmlElement } from "../../dom/parse-html.ts";
import { matchesPattern, type ElementPattern } from "../kinds/element-pattern.ts";
import type { PageFacts } from "../page-facts.ts";
import { besideEverywhere, manualLayouts, type ManualLayout } from "./manual-layouts.ts";

/** A page that a generator of documentation has written. */
export interface Manual {
  /** The elements that hold its text. */
  readonly roots: ReadonlySet<HtmlElement>;
  readonly isBeside: (element: HtmlElement) => boolean;
}

/** Files and marks in the head that are looked at: some pages carry thousands. */
const signsMax = 200;

/** The text of a page of documentation, where its generator has a mark for it. */
export function findManual({ document, body }: PageFacts): Manual | undefined {
  const signs = pageSigns(document);
  for (const layout of manualLayouts) {
    if (!signs.some((sign) => layout.sign.test(sign))) continue;
    const roots = findText(body, layout);
    if (roots.size === 0) continue;
    const beside = [...besideEverywhere, ...layout.beside];
    return { roots, isBeside: (element) => matchesAny(element, beside) };
  }
  return undefined;
}

/** What a page says of what has made it, in lines as `ManualLayout.sign` wants them. */
function pageSigns(document: HtmlDocument): string[] {
  const signs: string[] = [];
  for (const { name, attribs } of findElements(document, isSign)) {
    if (signs.length >= signsMax) break;
    if (name === "meta") signs.push(`generator:${(attribs["content"] ?? "").toLowerCase()}`);
    else if (name === "body") signs.push(`body:${attribs["id"] ?? ""} ${attribs["class"] ?? ""}`);
    else signs.push(`file:${(attribs["href"] ?? attribs["src"] ?? "").slice(0, 300)}`);
  }
  return signs;
}

function isSign({ name, attribs }: HtmlElement): boolean {
  switch (name) {
    case "meta":
      return attribs["name"]?.toLowerCase() === "generator";
    case "link":
      return attribs["href"] !== undefined;
    case "script":
      return attribs["src"] !== undefined;
    default:
      return name === "body";
  }
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
