/** Whether a curve stays straight: nothing may grow faster than what it depends on. */

/** What was measured at one size. */
export interface Point {
  readonly size: number;
  /** p50 of the affected call. */
  readonly ms: number;
  /** Private memory of the server's own process. */
  readonly mb: number;
  /** Spawn → `tools/list`, where the size affects a start. */
  readonly startMs?: number;
}

/** On log-log 1 is as fast as the size, 2 its square. */
const slopeMax = 1.1;
const lastDecades = 2;

/**
 * The slope on log-log over the last two decades of sizes: how much faster than the size the value grows. Undefined for fewer than
 * two points.
 */
export function slopeOf(
  points: readonly Point[],
  value: (point: Point) => number,
): number | undefined {
  const last = points.at(-1);
  if (last === undefined) return undefined;
  const from = points.filter(({ size }) => size > 0 && size * 10 ** lastDecades >= last.size)[0];
  if (from === undefined || from.size === last.size) return undefined;
  return Math.log(value(last) / value(from)) / Math.log(last.size / from.size);
}

/** What is wrong with a curve, a line each. */
export function faultsOf(title: string, points: readonly Point[], mbMax: number): string[] {
  const faults: string[] = [];
  const starts = points.flatMap((point) =>
    point.startMs === undefined ? [] : [{ ...point, ms: point.startMs }],
  );
  const curves = { "the call": points, "the start": starts };
  for (const [name, curve] of Object.entries(curves)) {
    const slope = slopeOf(curve, ({ ms }) => ms);
    if (slope !== undefined && slope > slopeMax) {
      faults.push(
        `${title}: ${name} grows with the power ${slope.toFixed(2)}, at most ${slopeMax}`,
      );
    }
  }
  const most = Math.max(...points.map(({ mb }) => mb));
  if (most > mbMax) faults.push(`${title}: ${most.toFixed(0)} MB of memory, at most ${mbMax} MB`);
  return faults;
}
