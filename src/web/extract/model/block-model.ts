import stored from "./block-model.json" with { type: "json" };
import { parseForest } from "./forest.ts";
import type { Forest } from "./forest.ts";

/**
 * Two forests that `scripts/readdocs/train.ts` has trained on annotated pages: the first judges each
 * block by itself and its surroundings, the second also by what the first says of its neighbours.
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
