import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type { Block } from "../blocks/block.ts";

/** Shorter blocks say nothing about where the text is. */
const proseCharsMin = 25;
/** Points that a block gives to its ancestors, by levels up. */
const shares = [1, 0.7, 0.45, 0.25, 0.12] as const;

/** The amount of prose below each element; near prose has more weight than deep prose. */
export interface Candidates {
  readonly scores: ReadonlyMap<HtmlElement, number>;
  readonly best: HtmlElement | undefined;
  readonly bestScore: number;
}

/** Scores elements by the prose in them. */
export function scoreCandidates(blocks: readonly Block[]): Candidates {
  const scores = new Map<HtmlElement, number>();
  for (const { container, chars, linkChars, stops } of blocks) {
    const own = chars - linkChars;
    if (own < proseCharsMin) continue;
    const points = (1 + Math.min(stops, 15) + Math.min(own / 100, 6)) * (own / chars);
    let at: HtmlElement | undefined = container;
    for (const share of shares) {
      if (at === undefined) break;
      scores.set(at, (scores.get(at) ?? 0) + points * share);
      at = at.parent !== null && isTag(at.parent) ? at.parent : undefined;
    }
  }
  let best: HtmlElement | undefined;
  let bestScore = 0;
  for (const [element, score] of scores) {
    if (score > bestScore) {
      best = element;
      bestScore = score;
    }
  }
  return { scores, best, bestScore };
}
