import { describe, expect, test } from "bun:test";

import { alignWords } from "../../../scripts/readdocs/train/align.ts";
import { forestScore, trainForest } from "../../../scripts/readdocs/train/boosting.ts";
import { encodeForest } from "../../../scripts/readdocs/train/encode-forest.ts";
import { forestOpinion, parseForest } from "../../../src/web/extract/model/block-model.ts";

const options = {
  trees: 30,
  depth: 3,
  rate: 0.3,
  leafWeightMin: 0.5,
  rowShare: 0.8,
  featureShare: 1,
  lambda: 1,
  seed: 1,
};

/** Rows of three features, of which two decide together. */
const rows = Array.from({ length: 400 }, (_, index) =>
  Float32Array.from([index % 20, Math.floor(index / 20), (index * 7) % 11]),
);
const isIn = (row: Float32Array): boolean => (row[0] ?? 0) > 9 !== (row[1] ?? 0) > 9;
const labels = Float64Array.from(rows, (row) => (isIn(row) ? 1 : 0));
const weights = new Float64Array(rows.length).fill(1);

describe("trainForest()", () => {
  const forest = trainForest({ rows, labels, weights }, options);

  test("learns what no feature tells alone", () => {
    expect(rows.map((row) => forestScore(forest, row) > 0)).toEqual(rows.map(isIn));
  });

  test("gives the same forest again", () => {
    expect(trainForest({ rows, labels, weights }, options)).toEqual(forest);
  });

  test("is written for the product without a change of opinion", () => {
    const product = parseForest(encodeForest(forest));
    const difference = rows.map((row) =>
      Math.abs(forestOpinion(product, row) - 1 / (1 + Math.exp(-forestScore(forest, row)))),
    );
    expect(Math.max(...difference)).toBeLessThan(0.001);
  });
});

describe("alignWords()", () => {
  test.each([
    ["the same", "a b c", "a b c", "111"],
    ["what is around the truth", "x a b c y", "a b c", "01110"],
    ["a gap in the truth", "a b x y c d", "a b c d", "110011"],
    [
      "a word that stands earlier too is taken where the rest is",
      "a x y z a b c",
      "a b c",
      "0000111",
    ],
    ["nothing in common", "a b", "c d", "00"],
    ["no truth", "a b", "", "00"],
  ])("%s", (_, page, truth, expected) => {
    const split = (text: string): string[] => text.split(" ").filter((word) => word !== "");
    const matched = alignWords(split(page), split(truth));
    expect(matched.map(Number).join("")).toBe(expected);
  });
});
