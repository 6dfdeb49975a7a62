import { type ChildNode, hasChildren, isTag, isText, type ParentNode } from "domhandler";

import { isHidden } from "../dom/element.ts";
import { type HtmlElement, retainChildren } from "../dom/parse-html.ts";
import { measureText, noText, textChars } from "./text-measure.ts";

/** Elements that show no text of the page. */
const unseenNames = new Set(
  "script style template link meta base title head svg canvas object embed applet iframe frame frameset input select textarea datalist progress meter audio map area param source track dialog".split(
    " ",
  ),
);

/** Above this part of the body's text an element is the page, which a script is going to show. */
const hiddenTextPartMax = 0.5;
/** A page with less text, in characters, is not a page, whatever part of it is hidden. */
const hiddenTextCharsMax = 200;

/** Takes scripts, styles, comments, form fields and all that is not shown out of `body`. */
export function removeUnseen(body: HtmlElement): void {
  removeChildren(body, (child) => isText(child) || (isTag(child) && !isUnseen(child)));
  const isPage = createPageTest(body);
  removeChildren(body, (child) => {
    if (!isTag(child) || !isHidden(child)) return true;
    if (!isPage(child)) return false;
    show(child);
    return true;
  });
}

/**
 * Finds whether hidden elements are the page itself. Most are small, and the page is measured only when one is not:
 * elements removed until then are added.
 */
function createPageTest(body: HtmlElement): (element: HtmlElement) => boolean {
  let goneChars = 0;
  /** Characters of hidden children of `parent`, which are there until all of its children were asked about. */
  let leavingChars = 0;
  let parent: ParentNode | null = null;
  let measured: { measures: ReturnType<typeof measureText>; charsMax: number } | undefined;
  return (element) => {
    if (measured === undefined) {
      if (element.parent !== parent) {
        parent = element.parent;
        goneChars += leavingChars;
        leavingChars = 0;
      }
      const chars = textChars(element, hiddenTextCharsMax);
      if (chars <= hiddenTextCharsMax) {
        leavingChars += chars;
        return false;
      }
      const measures = measureText(body);
      const bodyChars = goneChars + charsBelow(body, measures);
      const charsMax = Math.max(bodyChars * hiddenTextPartMax, hiddenTextCharsMax);
      measured = { measures, charsMax };
    }
    return (measured.measures.get(element) ?? noText).chars > measured.charsMax;
  };
}

function charsBelow({ children }: HtmlElement, measures: ReturnType<typeof measureText>): number {
  let chars = 0;
  for (const child of children) if (isTag(child)) chars += (measures.get(child) ?? noText).chars;
  return chars;
}

/** Takes out of the tree below `body` all that `isRetained` says no to, with all below it. */
function removeChildren(body: HtmlElement, isRetained: (child: ChildNode) => boolean): void {
  const waiting: ParentNode[] = [body];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    retainChildren(node, isRetained);
    for (const child of node.children) {
      if (hasChildren(child) && child.children.length > 0) waiting.push(child);
    }
  }
}

function isUnseen({ name, attribs }: HtmlElement): boolean {
  // The formulas of MathJax are scripts.
  if (name === "script" && attribs["type"]?.startsWith("math/") === true) return false;
  return unseenNames.has(name);
}

/** Its content is tested again when it is written out later. */
function show({ attribs }: HtmlElement): void {
  for (const name of ["hidden", "aria-hidden", "style", "class"]) delete attribs[name];
}
