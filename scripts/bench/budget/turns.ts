/** Turn by turn, until every figure is decided or the turns are used up. */
import { quantile } from "../stats.ts";
import type { Both } from "./alternate.ts";
import { figureIds, figureOf } from "./figures.ts";
import type { FigureId, TurnPart } from "./figures.ts";
import { judge } from "./judge.ts";
import type { Judgement } from "./judge.ts";
import { measurePart } from "./measure.ts";
import type { Turn } from "./measure.ts";
import type { Side } from "./side.ts";

/** How many times as many turns an undecided figure gets. */
const extension = 4;

/** The judgement of one figure, and the medians that it is about. */
export interface Verdict extends Judgement {
  readonly figure: FigureId;
  readonly before: number;
  readonly now: number;
  readonly turns: number;
}

/** `turns` turns of `parts`, and up to four times as many of a part that has a figure still open. */
export async function inTurns(
  sides: Both<Side>,
  parts: readonly TurnPart[],
  turns: number,
  progress: (text: string) => void,
): Promise<Turn[]> {
  const measured: Turn[] = [];
  let left = parts;
  for (let turn = 0; turn < turns * extension && left.length > 0; turn++) {
    progress(`turn ${turn + 1}: ${left.join(", ")}`);
    sides.before.renew();
    sides.now.renew();
    for (const part of left) measured.push(await measurePart(part, sides));
    if (turn + 1 >= turns) left = openParts(left, measured);
  }
  return measured;
}

function openParts(parts: readonly TurnPart[], turns: readonly Turn[]): readonly TurnPart[] {
  const open = verdictsOf(turns).filter(({ figure, state }) => {
    return state === "open" && figureOf(figure).standsInFor === undefined;
  });
  return parts.filter((part) => open.some(({ figure }) => figureOf(figure).part === part));
}

/** What the turns say about each figure that they have, in the order of the table. */
export function verdictsOf(turns: readonly Turn[]): Verdict[] {
  return figureIds.flatMap((figure) => {
    const all = turns.map((turn) => turn[figure]).filter((compared) => compared !== undefined);
    if (all.length === 0) return [];
    const medianOf = (side: keyof Both<number>): number =>
      quantile(
        all.map((compared) => compared[side]),
        0.5,
      );
    const judgement = judge(all.map(({ ratio }) => ratio));
    const medians = { before: medianOf("before"), now: medianOf("now") };
    return [{ figure, ...medians, turns: all.length, ...judgement }];
  });
}
