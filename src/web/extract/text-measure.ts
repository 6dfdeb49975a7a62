import { isTag, isText } from "domhandler";

import type { HtmlDocument, HtmlElement } from "../dom/parse-html.ts";

/** How much text an element holds, its descendants included. White space is collapsed. */
export interface TextMeasure {
  readonly chars: number;
  /** Of `chars`, those inside links. */
  readonly linkChars: number;
  /** Links with text. */
  readonly links: number;
  /** Commas and full stops of all scripts: prose has them, menus have not. */
  readonly stops: number;
}

export const noText: TextMeasure = { chars: 0, linkChars: 0, links: 0, stops: 0 };

interface Sums {
  chars: number;
  linkChars: number;
  links: number;
  stops: number;
}

const stopCharacters = new Set(
  ",.;:!?，。；：！？、।؟،".split("").map((stop) => stop.charCodeAt(0)),
);

/** Measures every element below `root` in one walk without recursion. */
export function measureText(root: HtmlDocument | HtmlElement): Map<HtmlElement, TextMeasure> {
  const measures = new Map<HtmlElement, Sums>();
  const path: { element: HtmlElement | undefined; sums: Sums; next: number }[] = [
    { element: undefined, sums: { ...noText }, next: 0 },
  ];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const children = (top.element ?? root).children;
    const child = children[top.next++];
    if (child === undefined) {
      path.pop();
      leave(top.element, top.sums, path.at(-1)?.sums);
    } else if (isText(child)) {
      addText(child.data, top.sums);
    } else if (isTag(child)) {
      const sums = { ...noText };
      measures.set(child, sums);
      path.push({ element: child, sums, next: 0 });
    }
  }
  return measures;
}

function leave(element: HtmlElement | undefined, sums: Sums, parent: Sums | undefined): void {
  if (element === undefined || parent === undefined) return;
  if (element.name === "a" && sums.chars > 0) {
    sums.linkChars = sums.chars;
    sums.links = 1;
  }
  parent.chars += sums.chars;
  parent.linkChars += sums.linkChars;
  parent.links += sums.links;
  parent.stops += sums.stops;
}

function addText(text: string, sums: Sums): void {
  let wasSpace = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isSpace = code <= 0x20 || code === 0xa0;
    if (!isSpace) {
      sums.chars += wasSpace && index > 0 ? 2 : 1;
      if (stopCharacters.has(code)) sums.stops++;
    }
    wasSpace = isSpace;
  }
}
