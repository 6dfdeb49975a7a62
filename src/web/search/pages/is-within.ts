import type { HtmlElement } from "../../dom/parse-html.ts";

/** Whether an element is one of `others`, or inside one of them. */
export function isWithin(element: HtmlElement, others: readonly HtmlElement[]): boolean {
  if (others.length === 0) return false;
  for (let node: typeof element.parent = element; node !== null; node = node.parent) {
    if (others.includes(node as HtmlElement)) return true;
  }
  return false;
}
