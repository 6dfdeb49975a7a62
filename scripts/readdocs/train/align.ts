/** Marks which words of a page belong to its truth, by aligning the two in order. */

/** Runs of words that anchor the alignment, longest first. */
const runLengths = [8, 4, 2, 1] as const;
/** Gaps between anchors with at most this area are aligned word by word. */
const areaMax = 4_000_000;

/** True for each word of `page` that has its counterpart in `truth`. */
export function alignWords(page: readonly string[], truth: readonly string[]): boolean[] {
  const matched = page.map(() => false);
  const gaps = [{ a: 0, b: page.length, c: 0, d: truth.length, level: 0 }];
  for (let gap = gaps.pop(); gap !== undefined; gap = gaps.pop()) {
    const { a, b, c, d, level } = gap;
    if (a >= b || c >= d) continue;
    const length = runLengths[level];
    if ((b - a) * (d - c) <= areaMax) {
      alignExactly(page, truth, gap, matched);
      continue;
    }
    if (length === undefined) continue;
    let [lastPage, lastTruth] = [a, c];
    for (const [p, t] of anchors(page, truth, gap, length)) {
      if (p < lastPage || t < lastTruth) continue;
      for (let index = p; index < p + length; index++) matched[index] = true;
      gaps.push({ a: lastPage, b: p, c: lastTruth, d: t, level: level + 1 });
      [lastPage, lastTruth] = [p + length, t + length];
    }
    gaps.push({ a: lastPage, b, c: lastTruth, d, level: level + 1 });
  }
  return matched;
}

interface Gap {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** Runs that stand once in each side of the gap, in an order that both sides share. */
function anchors(
  page: readonly string[],
  truth: readonly string[],
  { a, b, c, d }: Gap,
  length: number,
): [number, number][] {
  const inPage = uniqueRuns(page, a, b, length);
  const inTruth = uniqueRuns(truth, c, d, length);
  const pairs: [number, number][] = [];
  for (const [run, at] of inPage) {
    const other = inTruth.get(run);
    if (at >= 0 && other !== undefined && other >= 0) pairs.push([at, other]);
  }
  return longestRising(pairs);
}

function uniqueRuns(
  words: readonly string[],
  from: number,
  to: number,
  length: number,
): Map<string, number> {
  const runs = new Map<string, number>();
  for (let index = from; index + length <= to; index++) {
    const run = words.slice(index, index + length).join(" ");
    runs.set(run, runs.has(run) ? -1 : index);
  }
  return runs;
}

/** The longest part of `pairs` (rising in the first) that rises in the second. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const before: number[] = [];
  for (const [index, [, truth]] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < truth) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  }
  const rising: [number, number][] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) rising.push(pair);
  }
  return rising.toReversed();
}

/** The best alignment of a small gap; runs count more than single words. */
function alignExactly(
  page: readonly string[],
  truth: readonly string[],
  gap: Gap,
  matched: boolean[],
): void {
  const { a, b, c, d } = gap;
  const width = d - c + 1;
  const steps = new Uint8Array((b - a + 1) * width);
  let above = new Float32Array(width);
  let aboveRun = new Uint8Array(width);
  for (let i = 1; i <= b - a; i++) {
    const row = new Float32Array(width);
    const run = new Uint8Array(width);
    for (let j = 1; j < width; j++) {
      let [best, step] = [above[j] ?? 0, 1];
      if ((row[j - 1] ?? 0) > best) [best, step] = [row[j - 1] ?? 0, 2];
      if (page[a + i - 1] === truth[c + j - 1]) {
        const length = Math.min((aboveRun[j - 1] ?? 0) + 1, 8);
        const score = (above[j - 1] ?? 0) + 0.4 + 0.15 * length;
        // Rows hold single precision: equal scores may differ by a hair.
        if (score + 1e-6 >= best) {
          [best, step] = [score, 3];
          run[j] = length;
        }
      }
      row[j] = best;
      steps[i * width + j] = step;
    }
    above = row;
    aboveRun = run;
  }
  let [i, j] = [b - a, d - c];
  while (i > 0 && j > 0) {
    const step = steps[i * width + j];
    if (step === 3) matched[a + i - 1] = true;
    if (step !== 2) i--;
    if (step !== 1) j--;
  }
}
