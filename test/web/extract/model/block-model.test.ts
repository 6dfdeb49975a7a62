import { describe, expect, test } from "bun:test";

import {
  blockFeatureNames,
  contextFeatureNames,
} from "../../../../src/web/extract/features/block-features.ts";
import {
  blockModel,
  forestOpinion,
  parseForest,
} from "../../../../src/web/extract/model/block-model.ts";

describe("forestOpinion()", () => {
  const forest = parseForest({ bias: 0.5, trees: ["0,1.5,1;-1;1,2,3;2;-2", "0.25"] });
  test.each([
    ["left at the threshold", [1.5, 0], 0.5 - 1 + 0.25],
    ["right above it, then left", [1.6, 2], 0.5 + 2 + 0.25],
    ["right and right", [1.6, 2.1], 0.5 - 2 + 0.25],
  ])("goes %s", (_, row, score) => {
    expect(forestOpinion(forest, Float32Array.from(row))).toBeCloseTo(
      1 / (1 + Math.exp(-score)),
      6,
    );
  });
});

describe("blockModel()", () => {
  const { first, second } = blockModel();
  test.each([
    ["first", first, blockFeatureNames.length],
    ["second", second, blockFeatureNames.length + contextFeatureNames.length],
  ])("the %s forest asks for features that there are, and ends", (_, forest, count) => {
    expect(forest.starts.length).toBeGreaterThan(10);
    expect(Math.max(...forest.features)).toBeLessThan(count);
    const [...starts] = forest.starts;
    const isForward = starts.every((start, tree) => {
      const end = starts[tree + 1] ?? forest.features.length;
      for (let node = start; node < end; node++) {
        if (forest.features[node] === -1) continue;
        const left = start + (forest.lefts[node] ?? 0);
        if (left <= node || left + 1 >= end) return false;
      }
      return true;
    });
    expect(isForward).toBe(true);
  });
});
