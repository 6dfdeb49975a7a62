import { resultBytesPerChar } from "../../../base/limits.ts";
import type { Match } from "../find-matches.ts";
import { matchText } from "./match-text.ts";
import { details, showMatch, type Detail, type ShownMatch } from "./shown-match.ts";

/** A match as it is shown, both ways. */
export interface Fitted {
  readonly shown: ShownMatch;
  readonly text: string;
  readonly detail: Detail;
}

interface Cost {
  readonly text: number;
  readonly json: number;
}

/**
 * The matches with as much detail as fits into `charsMax`, in the text and in the structured content alike: the last ones
 * lose their schemas first, then their summaries, and are left out at last.
 */
export function fitMatches(
  matches: readonly Match[],
  wanted: Detail,
  isExplained: boolean,
  charsMax: number,
): readonly Fitted[] {
  const fitted = matches.map((match) => fit(match, wanted, isExplained));
  const costs = fitted.map((one) => costOf(one, wanted));
  const sum = { text: 0, json: 0 };
  for (const cost of costs) addTo(sum, cost, 1);
  for (let level = details.indexOf(wanted); level >= 0; level--) {
    for (let at = fitted.length - 1; at >= 0; at--) {
      if (sum.text <= charsMax && sum.json <= charsMax) return fitted;
      const match = matches[at];
      const cost = costs[at];
      if (match === undefined || cost === undefined) continue;
      addTo(sum, cost, -1);
      const lower = details[level - 1];
      if (lower === undefined) {
        fitted.pop();
        continue;
      }
      const smaller = fit(match, lower, isExplained);
      fitted[at] = smaller;
      costs[at] = costOf(smaller, wanted);
      addTo(sum, costs[at] ?? cost, 1);
    }
  }
  return fitted;
}

function fit(match: Match, detail: Detail, isExplained: boolean): Fitted {
  const shown = showMatch(match, detail, isExplained);
  return { shown, text: matchText(shown), detail };
}

/** What is shown with less than was wanted is named once more. */
function costOf({ shown, text, detail }: Fitted, wanted: Detail): Cost {
  const named = detail === wanted ? 0 : shown.name.length + 4;
  return { text: charsOf(text) + named, json: charsOf(JSON.stringify(shown)) + named };
}

function addTo(sum: { text: number; json: number }, cost: Cost, sign: 1 | -1): void {
  sum.text += sign * cost.text;
  sum.json += sign * cost.json;
}

/** Characters, or more when many of them take several bytes: results are bounded in both. */
export function charsOf(text: string): number {
  return Math.max(text.length, Math.ceil(Buffer.byteLength(text) / resultBytesPerChar)) + 1;
}
