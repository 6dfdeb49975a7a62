/** Measures the curves. */
import path from "node:path";
import { parseArgs } from "node:util";

import { Side } from "../budget/side.ts";
import { describeMachine } from "../machine.ts";
import { parseList } from "../options.ts";
import { paths } from "../paths.ts";
import { curveIds, curveOf } from "./curves.ts";
import type { CurveId } from "./curves.ts";
import { curvesText, readCurves, writeCurves } from "./page.ts";
import { faultsOf } from "./slope.ts";
import type { Point } from "./slope.ts";

export interface GrowthOptions {
  readonly binary: string;
  readonly curves: readonly CurveId[];
}

/** Throws an `Error` that names the argument when one is not acceptable. */
export function parseGrowthOptions(args: readonly string[]): GrowthOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      growth: { type: "boolean" },
      binary: { type: "string", default: paths.binary },
      only: { type: "string" },
    },
  });
  return {
    binary: path.resolve(values.binary),
    curves: parseList("--only", values.only, curveIds, curveIds),
  };
}

/** Returns the exit code: 1 when something grows faster than what it depends on, or takes more memory than it may. */
export async function runGrowth({ binary, curves }: GrowthOptions): Promise<number> {
  const { cores, processor, bun, load } = describeMachine();
  const machine = `${cores} cores (${processor}), Bun ${bun}, load ${(load[0] ?? 0).toFixed(1)}`;
  const saved = readCurves();
  const faults: string[] = [];
  for (const id of curves) {
    const points = await pointsOf(id, binary);
    saved[id] = { machine, points };
    // One after the other: a run that is broken off has written its part.
    writeCurves(saved);
    faults.push(...faultsOf(curveOf(id).title, points, curveOf(id).mbMax));
  }
  console.log(curvesText(saved));
  for (const fault of faults) process.stderr.write(`bench: ${fault}\n`);
  return faults.length === 0 ? 0 : 1;
}

/** Each point in a home of its own. */
async function pointsOf(id: CurveId, binary: string): Promise<Point[]> {
  const { measure, sizes } = curveOf(id);
  const points: Point[] = [];
  for (const size of sizes) {
    using side = new Side(binary, {});
    const point = await measure(side, size);
    process.stderr.write(
      `bench: ${id} ${size}: ${point.ms.toFixed(3)} ms, ${point.mb.toFixed(1)} MB\n`,
    );
    points.push(point);
  }
  return points;
}
