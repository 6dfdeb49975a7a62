import { describe, expect, test } from "bun:test";
import { encodeCompletion } from "../../src/protocol/prompts.ts";
import { ownMeta } from "./own-meta.ts";

const values = (count: number): string[] => Array.from({ length: count }, (_, n) => `v${n}`);

describe("encodeCompletion()", () => {
  test.each([
    [0, 0, false],
    [99, 99, false],
    [100, 100, false],
    [101, 100, true],
    [5000, 100, true],
  ])("of %d values %d are shown, more: %p", (total, shown, hasMore) => {
    expect(JSON.parse(encodeCompletion(values(total), "2025-11-25"))).toEqual({
      completion: { values: values(shown), total, hasMore },
    });
  });

  test("HP10: modern, without cache hints", () => {
    expect(JSON.parse(encodeCompletion(["a"], "2026-07-28"))).toEqual({
      resultType: "complete",
      completion: { values: ["a"], total: 1, hasMore: false },
      _meta: ownMeta,
    });
  });
});
