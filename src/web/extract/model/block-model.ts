import stored from "./block-model.json" with { type: "json" };

/**
 * Two forests that `scripts/readdocs/train.ts` has trained on annotated pages: the first judges each
 * block by itself and its surroundings, the second also by the first one's results for its neighbours.
 */
export interface BlockModel {
  readonly first: Forest;
  readonly second: Forest;
}

let parsed: BlockModel | undefined;

/** The model that the product is made with. */
export function blockModel(): BlockModel {
  parsed ??= { first: parseForest(stored.first), second: parseForest(stored.second) };
  return parsed;
}

/** Trees as text: nodes divided by `;`, each `feature,threshold,left` or, for a leaf, its value alone. */
export interface ForestText {
  readonly bias: number;
  readonly trees: readonly string[];
}

/** Boosted trees in flat arrays: the nodes of all trees behind each other. */
interface Forest {
  readonly bias: number;
  /** Where each tree begins. */
  readonly starts: Int32Array;
  /** The feature that a node asks for; -1 for a leaf. */
  readonly features: Int16Array;
  /** A higher value goes right; the value of a leaf. */
  readonly thresholds: Float32Array;
  /** The left child, counted from the start of its tree; the right one follows it. */
  readonly lefts: Int16Array;
}

export function parseForest({ bias, trees }: ForestText): Forest {
  const starts: number[] = [];
  const features: number[] = [];
  const thresholds: number[] = [];
  const lefts: number[] = [];
  for (const tree of trees) {
    starts.push(features.length);
    for (const node of tree.split(";")) {
      const [first = "0", threshold, left] = node.split(",");
      features.push(threshold === undefined ? -1 : Number(first));
      thresholds.push(Number(threshold ?? first));
      lefts.push(Number(left ?? 0));
    }
  }
  return {
    bias,
    starts: Int32Array.from(starts),
    features: Int16Array.from(features),
    thresholds: Float32Array.from(thresholds),
    lefts: Int16Array.from(lefts),
  };
}

/** The probability that `forest` gives a row of features. */
export function forestOpinion(forest: Forest, row: Float32Array): number {
  const { starts, features, thresholds, lefts } = forest;
  let score = forest.bias;
  // By index: an iterator takes longer than a tree, and each block of a page goes through hundreds of them.
  for (let tree = 0; tree < starts.length; tree++) {
    const start = starts[tree] ?? 0;
    let node = start;
    for (let feature = features[node] ?? -1; feature !== -1; feature = features[node] ?? -1) {
      const goesRight = (row[feature] ?? 0) > (thresholds[node] ?? 0);
      node = start + (lefts[node] ?? 0) + (goesRight ? 1 : 0);
    }
    score += thresholds[node] ?? 0;
  }
  return 1 / (1 + Math.exp(-score));
}
