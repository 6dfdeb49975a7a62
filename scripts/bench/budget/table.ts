/** What a run of the budget prints: a table to paste into a pull request, and the figures that it fails. */
import { markdownTable } from "../../docs/markdown.ts";
import { formatValue } from "../report/numbers.ts";
import { figureOf } from "./figures.ts";
import { ratioMax } from "./judge.ts";
import type { State } from "./judge.ts";
import type { Verdict } from "./turns.ts";

const words: Readonly<Record<State, string>> = {
  kept: "yes",
  better: "yes, better",
  worse: "**no**",
  open: "not decided",
};

export function budgetTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => {
    const { title, unit } = figureOf(verdict.figure);
    const [ratio, low, high] = [verdict.ratio, verdict.low, verdict.high].map((n) => n.toFixed(3));
    return [
      title,
      formatValue(verdict.before, unit),
      formatValue(verdict.now, unit),
      `${ratio} (${low} to ${high})`,
      String(verdict.turns),
      counts(verdict, verdicts) ? words[verdict.state] : "–",
    ];
  });
  const headings = ["", "before", "now", "ratio (95 of 100)", "turns", `≤ ${ratioMax}`];
  return markdownTable(headings, rows);
}

/** The figures that got worse. */
export function failuresOf(verdicts: readonly Verdict[]): string[] {
  return judged(verdicts, "worse").map(({ figure, ratio, low }) => {
    const { title } = figureOf(figure);
    const limit = (ratioMax + ratio - low).toFixed(3);
    return `${title} is ${ratio.toFixed(3)} of what it was: at most ${ratioMax} and its noise, ${limit}`;
  });
}

/** The figures that all turns together could not decide. */
export function undecidedOf(verdicts: readonly Verdict[]): string[] {
  return judged(verdicts, "open").map(({ figure, low, high }) => {
    const between = `${low.toFixed(3)} and ${high.toFixed(3)}`;
    return `${figureOf(figure).title} is not decided, between ${between}: repeat it on a quieter machine`;
  });
}

function judged(verdicts: readonly Verdict[], state: State): Verdict[] {
  return verdicts.filter((verdict) => verdict.state === state && counts(verdict, verdicts));
}

/** A processor time counts when no figure that it stands in for is decided. */
function counts({ figure }: Verdict, verdicts: readonly Verdict[]): boolean {
  const { standsInFor } = figureOf(figure);
  if (standsInFor === undefined) return true;
  const others = verdicts.filter((other) => standsInFor.includes(other.figure));
  return others.every(({ state }) => state === "open");
}
