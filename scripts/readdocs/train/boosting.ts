/** Gradient-boosted regression trees on binned features, with the logistic loss. */

export interface TrainingRows {
  readonly rows: readonly Float32Array[];
  /** From 0 to 1. */
  readonly labels: Float64Array;
  readonly weights: Float64Array;
}

export interface BoostingOptions {
  readonly trees: number;
  readonly depth: number;
  readonly rate: number;
  /** Weight that a leaf has at least, in rows of weight 1. */
  readonly leafWeightMin: number;
  readonly rowShare: number;
  readonly featureShare: number;
  readonly lambda: number;
  readonly seed: number;
}

/** One split or leaf; the children of a split are the nodes at `left` and `left + 1`. */
type TreeNode =
  | { readonly feature: number; readonly threshold: number; readonly left: number }
  | { readonly value: number };

export interface Forest {
  readonly bias: number;
  readonly trees: readonly (readonly TreeNode[])[];
}

const binsMax = 64;

/** Trains a forest. The same rows, options and seed give the same forest. */
export function trainForest(data: TrainingRows, options: BoostingOptions): Forest {
  const count = data.rows.length;
  const random = randomNumbers(options.seed);
  const edges = binEdges(data.rows);
  const bins = binRows(data.rows, edges);
  const positive = weightedMean(data.labels, data.weights);
  const bias = Math.log(positive / (1 - positive));
  const scores = new Float64Array(count).fill(bias);
  const trees: TreeNode[][] = [];
  for (let round = 0; round < options.trees; round++) {
    const gradients = new Float64Array(count);
    const hessians = new Float64Array(count);
    for (let row = 0; row < count; row++) {
      const p = 1 / (1 + Math.exp(-(scores[row] ?? 0)));
      const weight = data.weights[row] ?? 0;
      gradients[row] = weight * ((data.labels[row] ?? 0) - p);
      hessians[row] = weight * Math.max(p * (1 - p), 1e-6);
    }
    const sample: number[] = [];
    for (let row = 0; row < count; row++) if (random() < options.rowShare) sample.push(row);
    const features = edges
      .map((_, index) => index)
      .filter((index) => (edges[index]?.length ?? 0) > 0 && random() < options.featureShare);
    const tree = growTree({ bins, edges, gradients, hessians, features, options }, sample);
    trees.push(tree);
    for (let row = 0; row < count; row++)
      scores[row] = (scores[row] ?? 0) + treeValue(tree, data.rows[row] ?? new Float32Array());
  }
  return { bias, trees };
}

/** The log-odds that `forest` gives a row. */
export function forestScore(forest: Forest, row: Float32Array): number {
  return forest.trees.reduce((sum, tree) => sum + treeValue(tree, row), forest.bias);
}

function treeValue(tree: readonly TreeNode[], row: Float32Array): number {
  let node = tree[0];
  while (node !== undefined && "feature" in node) {
    const goesRight = (row[node.feature] ?? 0) > node.threshold;
    node = tree[node.left + (goesRight ? 1 : 0)];
  }
  return node === undefined ? 0 : node.value;
}

interface Growing {
  readonly bins: readonly Uint8Array[];
  readonly edges: readonly Float32Array[];
  readonly gradients: Float64Array;
  readonly hessians: Float64Array;
  readonly features: readonly number[];
  readonly options: BoostingOptions;
}

function growTree(growing: Growing, sample: readonly number[]): TreeNode[] {
  const tree: TreeNode[] = [{ value: 0 }];
  const open = [{ at: 0, rows: sample, depth: 0 }];
  for (let job = open.shift(); job !== undefined; job = open.shift()) {
    const split = job.depth < growing.options.depth ? bestSplit(growing, job.rows) : undefined;
    if (split === undefined) {
      tree[job.at] = { value: leafValue(growing, job.rows) };
      continue;
    }
    const column = growing.bins[split.feature] ?? new Uint8Array();
    const left = tree.length;
    tree[job.at] = {
      feature: split.feature,
      threshold: growing.edges[split.feature]?.[split.bin] ?? 0,
      left,
    };
    tree.push({ value: 0 }, { value: 0 });
    open.push(
      {
        at: left,
        rows: job.rows.filter((row) => (column[row] ?? 0) <= split.bin),
        depth: job.depth + 1,
      },
      {
        at: left + 1,
        rows: job.rows.filter((row) => (column[row] ?? 0) > split.bin),
        depth: job.depth + 1,
      },
    );
  }
  return tree;
}

function leafValue({ gradients, hessians, options }: Growing, rows: readonly number[]): number {
  let [gradient, hessian] = [0, 0];
  for (const row of rows) {
    gradient += gradients[row] ?? 0;
    hessian += hessians[row] ?? 0;
  }
  return (options.rate * gradient) / (hessian + options.lambda);
}

function bestSplit(
  growing: Growing,
  rows: readonly number[],
): { feature: number; bin: number } | undefined {
  const { bins, gradients, hessians, features, options } = growing;
  let best: { feature: number; bin: number } | undefined;
  let bestGain = 1e-4;
  const gradientOf = new Float64Array(binsMax);
  const hessianOf = new Float64Array(binsMax);
  for (const feature of features) {
    gradientOf.fill(0);
    hessianOf.fill(0);
    const column = bins[feature] ?? new Uint8Array();
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      const bin = column[row] ?? 0;
      gradientOf[bin] = (gradientOf[bin] ?? 0) + (gradients[row] ?? 0);
      hessianOf[bin] = (hessianOf[bin] ?? 0) + (hessians[row] ?? 0);
    }
    const gradient = gradientOf.reduce((sum, value) => sum + value, 0);
    const hessian = hessianOf.reduce((sum, value) => sum + value, 0);
    let [left, leftHessian] = [0, 0];
    for (let bin = 0; bin + 1 < binsMax; bin++) {
      left += gradientOf[bin] ?? 0;
      leftHessian += hessianOf[bin] ?? 0;
      const rightHessian = hessian - leftHessian;
      if (leftHessian < options.leafWeightMin || rightHessian < options.leafWeightMin) continue;
      const right = gradient - left;
      const gain =
        left ** 2 / (leftHessian + options.lambda) +
        right ** 2 / (rightHessian + options.lambda) -
        gradient ** 2 / (hessian + options.lambda);
      if (gain > bestGain) {
        bestGain = gain;
        best = { feature, bin };
      }
    }
  }
  return best;
}

/** For each feature the values between its bins, rising. */
function binEdges(rows: readonly Float32Array[]): Float32Array[] {
  const width = rows[0]?.length ?? 0;
  const step = Math.max(1, Math.floor(rows.length / 20_000));
  return Array.from({ length: width }, (_, feature) => {
    const values = new Float32Array(Math.ceil(rows.length / step));
    for (let index = 0; index < values.length; index++)
      values[index] = rows[index * step]?.[feature] ?? 0;
    values.sort();
    const distinct = values.filter((value, index) => index === 0 || value !== values[index - 1]);
    if (distinct.length <= binsMax) {
      return Float32Array.from(
        { length: distinct.length - 1 },
        (__, index) => ((distinct[index] ?? 0) + (distinct[index + 1] ?? 0)) / 2,
      );
    }
    const edges = new Set<number>();
    for (let bin = 1; bin < binsMax; bin++) {
      edges.add(edgeAbove(distinct, values[Math.floor((bin * values.length) / binsMax)] ?? 0));
    }
    return Float32Array.from(edges);
  });
}

/** Between `value` and the next of `distinct`, so that rounding it later moves no row to the other side. */
function edgeAbove(distinct: Float32Array, value: number): number {
  let [low, high] = [0, distinct.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((distinct[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return (value + (distinct[low] ?? value)) / 2;
}

function binRows(rows: readonly Float32Array[], edges: readonly Float32Array[]): Uint8Array[] {
  return edges.map((own, feature) =>
    Uint8Array.from(rows, (row) => {
      const value = row[feature] ?? 0;
      let [low, high] = [0, own.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (value > (own[middle] ?? 0)) low = middle + 1;
        else high = middle;
      }
      return low;
    }),
  );
}

function weightedMean(values: Float64Array, weights: Float64Array): number {
  let [sum, total] = [0, 0];
  for (const [index, value] of values.entries()) {
    sum += value * (weights[index] ?? 0);
    total += weights[index] ?? 0;
  }
  return Math.min(Math.max(sum / total, 1e-3), 1 - 1e-3);
}

/** Mulberry32: a short generator whose numbers are the same everywhere. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
