import { describe, expect, test } from "bun:test";

import { chooseCut } from "../../../../src/web/extract/blocks/judge-blocks.ts";

describe("chooseCut()", () => {
  test.each([
    ["certain blocks and nothing else", [1, 0, 1, 0], [1, 1, 1, 1], { opinion: 1, expected: 1 }],
    [
      "an even doubt is kept whole",
      [0.2, 0.2],
      [5, 5],
      { opinion: 0.2, expected: (2 * 2) / (10 + 2) },
    ],
    ["a long block of doubt is left", [1, 0.3], [10, 10], { opinion: 1, expected: 20 / 23 }],
    [
      "a short block of doubt is left as well",
      [1, 0.3],
      [10, 1],
      { opinion: 1, expected: 20 / 20.3 },
    ],
    ["a likely block is kept", [1, 0.7], [10, 10], { opinion: 0.7, expected: 34 / 37 }],
    ["nothing", [], [], { opinion: 0, expected: 0 }],
  ])("%s", (_, opinions, weights, expected) => {
    const cut = chooseCut(opinions, weights);
    expect({ ...cut, expected: cut.expected.toFixed(9) }).toEqual({
      ...expected,
      expected: expected.expected.toFixed(9),
    });
  });
});
