import { expect, test } from "bun:test";

import { matchPattern } from "../../../src/upstream/search/find-matches.ts";
import { searched } from "./searched.ts";

test.each(["(a+)+$", "(a|a)*$", "(.*)*(.*)*(.*)*y$", "(x?){100}x{100}$", "(\\w+\\s?)*:$"])(
  "/%s/ does not hang",
  async (source) => {
    const tools = Array.from({ length: 500 }, (_, at) =>
      searched("s", `tool${at}`, { description: `${"a".repeat(3000)}!` }),
    );
    const found = await matchPattern(tools, { source, flags: "" });
    // The last look may take as long as one text and one pattern can; a busy machine takes longer.
    expect(found.kind).toBe("matched");
  },
);

test("matchPattern: names come before descriptions, and a pattern that is too long is refused", async () => {
  const tools = [searched("s", "alpha", { description: "beta" }), searched("s", "beta")];
  expect(await matchPattern(tools, { source: "BETA", flags: "i" })).toEqual({
    kind: "matched",
    matches: [tools[1], tools[0]].filter((tool) => tool !== undefined),
    state: { isPartial: false },
  });
  expect((await matchPattern(tools, { source: "a".repeat(200), flags: "" })).kind).toBe("matched");
  expect(await matchPattern(tools, { source: "a".repeat(201), flags: "" })).toEqual({
    kind: "problem",
    text: `The pattern /${"a".repeat(60)}/ has more than 200 characters. Search with plain words, or with a simpler pattern.`,
  });
});
