/** docs/internals/growth.md, the pictures in it, and the points that they are drawn from. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { pageTable } from "../../docs/markdown.ts";
import { paths } from "../paths.ts";
import { replaceSection } from "../report/document.ts";
import { formatValue } from "../report/numbers.ts";
import { chartOf } from "./chart.ts";
import { curveIds, curveOf } from "./curves.ts";
import type { CurveId } from "./curves.ts";
import { slopeOf } from "./slope.ts";
import type { Point } from "./slope.ts";

/** The points of a curve, and on what they were measured. */
interface Measured {
  readonly machine: string;
  readonly points: readonly Point[];
}

export type Curves = Partial<Record<CurveId, Measured>>;

const pictures = path.join(paths.repository, "docs/internals/growth");
const page = path.join(paths.repository, "docs/internals/growth.md");
const data = path.join(pictures, "growth.json");

/** What the runs before have left. */
export function readCurves(): Curves {
  return existsSync(data) ? (JSON.parse(readFileSync(data, "utf8")) as Curves) : {};
}

export function writeCurves(curves: Curves): void {
  mkdirSync(pictures, { recursive: true });
  writeFileSync(data, `${JSON.stringify(curves, undefined, 1)}\n`);
  for (const id of curveIds) {
    const points = curves[id]?.points;
    if (points !== undefined) {
      writeFileSync(path.join(pictures, `${id}.svg`), pictureOf(id, points));
    }
  }
  writeFileSync(page, replaceSection(readFileSync(page, "utf8"), "Curves", curvesText(curves)));
  Bun.spawnSync([process.execPath, "fmt", "--no-script", page, data], { cwd: paths.repository });
}

function pictureOf(id: CurveId, points: readonly Point[]): string {
  const { title, call } = curveOf(id);
  const starts = points.flatMap(({ size, startMs }) =>
    startMs === undefined ? [] : [[size, startMs] as const],
  );
  const lines = [
    {
      name: `${call.replaceAll("`", "")}, ms`,
      points: points.map(({ size, ms }) => [size, ms] as const),
    },
    { name: "private memory, MB", points: points.map(({ size, mb }) => [size, mb] as const) },
    ...(starts.length === 0 ? [] : [{ name: "start, ms", points: starts }]),
  ];
  return chartOf(title, title, lines);
}

/** The table of the curves that were measured, and their pictures. */
export function curvesText(saved: Curves): string {
  const rows: string[][] = [];
  const images: string[] = [];
  for (const id of curveIds) {
    const points = saved[id]?.points ?? [];
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) continue;
    const { title, call, mbMax } = curveOf(id);
    const between = (value: (point: Point) => number | undefined, unit: "ms" | "MB"): string =>
      [first, last].map((point) => formatValue(value(point) ?? 0, unit)).join(" to ");
    rows.push([
      title,
      [first, last].map(({ size }) => size.toLocaleString("en-US")).join(" to "),
      call,
      between(({ ms }) => ms, "ms"),
      (slopeOf(points, ({ ms }) => ms) ?? 0).toFixed(2),
      first.startMs === undefined ? "–" : between(({ startMs }) => startMs, "ms"),
      `${between(({ mb }) => mb, "MB")}, at most ${mbMax} MB`,
      saved[id]?.machine ?? "",
    ]);
    images.push(`![${title}](growth/${id}.svg)`);
  }
  const headings = [
    "what grows",
    "from, to",
    "call",
    "its p50",
    "slope",
    "start",
    "memory",
    "machine",
  ];
  return `${pageTable(headings, rows)}\n\n${images.join("\n\n")}`;
}
