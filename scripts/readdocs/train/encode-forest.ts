import type { ForestText } from "../../../src/web/extract/model/block-model.ts";
import type { Forest } from "./boosting.ts";

/** Digits that decide nothing are left out. */
const digits = 5;

/** A trained forest as the product reads it. */
export function encodeForest({ bias, trees }: Forest): ForestText {
  return {
    bias: round(bias),
    trees: trees.map((tree) =>
      tree
        .map((node) =>
          "feature" in node
            ? `${node.feature},${round(node.threshold)},${node.left}`
            : String(round(node.value)),
        )
        .join(";"),
    ),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(digits));
}
