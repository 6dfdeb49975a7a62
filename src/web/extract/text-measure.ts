import { isTag, isText } from "domhandler";

import type { HtmlDocument, HtmlElement } from "../dom/parse-html.ts";

/** How much text an element holds, its descendants included. White space is collapsed. */
export interface TextMeasure {
  readonly chars: number;
  /** The part of `chars` that is inside links. */
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

/** 1 for the code of each of them: a table, as every character of a page is looked up. */
const isStop = new Uint8Array(0x1_00_00);
for (const stop of ",.;:!?，。；：！？、।؟،") isStop[stop.charCodeAt(0)] = 1;

/** Measures every element below `root`, without recursion. */
export function measureText(root: HtmlDocument | HtmlElement): Map<HtmlElement, TextMeasure> {
  const measures = new Map<HtmlElement, TextMeasure>();
  // Level by level, so that whatever an element holds comes after it; `sums` and `holders` are in the same order.
  const elements: (HtmlDocument | HtmlElement)[] = [root];
  const sums: Sums[] = [emptySums()];
  const holders: number[] = [-1];
  for (let index = 0; index < elements.length; index++) {
    const own = sums[index];
    if (own === undefined) continue;
    for (const child of elements[index]?.children ?? []) {
      if (isText(child)) addText(child.data, own);
      else if (isTag(child)) {
        const inner = emptySums();
        measures.set(child, inner);
        elements.push(child);
        sums.push(inner);
        holders.push(index);
      }
    }
  }
  for (let index = elements.length - 1; index > 0; index--) {
    addToHolder(elements[index], sums[index], sums[holders[index] ?? 0]);
  }
  return measures;
}

function emptySums(): Sums {
  return { chars: 0, linkChars: 0, links: 0, stops: 0 };
}

function addToHolder(
  element: HtmlDocument | HtmlElement | undefined,
  sums: Sums | undefined,
  holder: Sums | undefined,
): void {
  if (element === undefined || sums === undefined || holder === undefined) return;
  if ("name" in element && element.name === "a" && sums.chars > 0) {
    sums.linkChars = sums.chars;
    sums.links = 1;
  }
  holder.chars += sums.chars;
  holder.linkChars += sums.linkChars;
  holder.links += sums.links;
  holder.stops += sums.stops;
}

function addText(text: string, sums: Sums): void {
  let chars = 0;
  let stops = 0;
  let wasSpace = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isSpace = code <= 0x20 || code === 0xa0;
    if (!isSpace) {
      chars += wasSpace && index > 0 ? 2 : 1;
      stops += isStop[code] ?? 0;
    }
    wasSpace = isSpace;
  }
  sums.chars += chars;
  sums.stops += stops;
}

export function countStops(text: string): number {
  let stops = 0;
  for (let index = 0; index < text.length; index++) stops += isStop[text.charCodeAt(index)] ?? 0;
  return stops;
}

/** Characters of text below `root`; counting ends above `charsMax`. */
export function textChars(root: HtmlElement, charsMax: number): number {
  const sums = emptySums();
  const waiting: HtmlElement[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    for (const child of element.children) {
      if (isText(child)) addText(child.data, sums);
      else if (isTag(child)) waiting.push(child);
    }
    if (sums.chars > charsMax) break;
  }
  return sums.chars;
}
