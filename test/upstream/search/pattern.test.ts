import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { searchPatternMsMax } from "../../../src/base/upstream-limits.ts";
import { matchPattern } from "../../../src/upstream/search/find-matches.ts";
import { PatternMatcher } from "../../../src/upstream/search/pattern/pattern-matcher.ts";
import { PatternError } from "../../../src/upstream/search/pattern/pattern-node.ts";
import { searched } from "./searched.ts";
import { atThisLoad } from "../../fixtures/at-this-load.ts";

const texts = [
  "",
  "a",
  "create_issue",
  "Create an issue.\nSecond line",
  "x-12-y",
  "äöü €",
  "aaab",
  "(a)",
];

describe("PatternMatcher agrees with the engine of the runtime", () => {
  test.each([
    "issue",
    "^create",
    "issue$",
    "^$",
    "a|b",
    "(?:an|the) issue",
    "(?<n>x)-",
    "[a-c]+",
    "[^a-z]",
    "\\d{2}",
    "\\d{3,}",
    "x?y*",
    "a{2,3}b",
    "a{0}",
    "\\bissue\\b",
    "\\Bssue",
    "\\w+_\\w+",
    "[\\w-]+$",
    "[]",
    "[^]",
    "\\(a\\)",
    ".",
    "\\n",
    "[\\]a]",
    "[a-]",
    "\\u00e4",
    "\\x61",
    "(a|)+b",
    "(a*)*$",
    "a+?b",
    "()",
    "|",
    "[-a]",
    "€",
    "\\.",
    "\\/",
    "\\S\\s\\S",
  ])("/%s/", (source) => {
    for (const flags of ["", "i", "m", "s"]) {
      const expected = new RegExp(source, flags);
      const matcher = new PatternMatcher(source, flags);
      for (const text of texts) {
        expect({ flags, text, found: matcher.test(text) }).toEqual({
          flags,
          text,
          found: expected.test(text),
        });
      }
    }
  });

  test("for any pattern of these parts", () => {
    const part = fc.constantFrom(
      "a",
      "b",
      ".",
      "[ab]",
      "\\w",
      "(a|b)",
      "(?:(ab)?)",
      "^",
      "$",
      "\\b",
    );
    const quantified = fc.tuple(part, fc.constantFrom("", "", "?", "*", "{1,2}"));
    const pattern = fc.array(quantified, { maxLength: 6 }).map((parts) => {
      return parts.map(([text, mark]) => (/[\^$]|\\b/.test(text) ? text : text + mark)).join("");
    });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "_", " "), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(new PatternMatcher(source, "").test(subject)).toBe(new RegExp(source).test(subject));
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ["(a", "has a `(` that is not closed"],
  ["a)", "has a `)` too many"],
  ["[a", "has a `[` that is not closed"],
  ["*a", "has a `*` after nothing"],
  ["a**", "repeats a repetition"],
  ["a\\", "ends too early"],
  ["[b-a]", "has a range in [ ] that ends before it begins"],
  ["a{3,2}", "has the bounds {3,2} the wrong way round"],
  ["a{101}", "repeats more than 100 times"],
  ["(a)\\1", "refers back, which is not supported"],
  ["(?=a)", "looks ahead or behind, which is not supported"],
  ["(?<!a)", "looks ahead or behind, which is not supported"],
  ["\\p{L}", "has \\p, which is not supported"],
  ["(".repeat(30), "is nested too deep"],
  ["((a{100}){100}){100}", "is too large when its repetitions are expanded"],
  ["((((){100}){100}){100}){100}", "is too large when its repetitions are expanded"],
])("/%s/ is refused: %s", (source, message) => {
  expect(() => new PatternMatcher(source, "")).toThrow(new PatternError(message));
});

test.each(["(a+)+$", "(a|a)*$", "(.*)*(.*)*(.*)*y$", "(x?){100}x{100}$", "(\\w+\\s?)*:$"])(
  "/%s/ does not hang",
  (source) => {
    const tools = Array.from({ length: 500 }, (_, at) =>
      searched("s", `tool${at}`, { description: `${"a".repeat(3000)}!` }),
    );
    const start = performance.now();
    const found = matchPattern(tools, { source, flags: "" });
    // The last look may take as long as one text and one pattern can; a busy machine takes longer.
    expect(performance.now() - start).toBeLessThan(atThisLoad(searchPatternMsMax * 20));
    expect(found.kind).toBe("matched");
  },
);

test("matchPattern: names come before descriptions, and a pattern that is too long is refused", () => {
  const tools = [searched("s", "alpha", { description: "beta" }), searched("s", "beta")];
  expect(matchPattern(tools, { source: "BETA", flags: "i" })).toEqual({
    kind: "matched",
    matches: [tools[1], tools[0]].filter((tool) => tool !== undefined),
    state: { isPartial: false },
  });
  expect(matchPattern(tools, { source: "a".repeat(200), flags: "" }).kind).toBe("matched");
  expect(matchPattern(tools, { source: "a".repeat(201), flags: "" })).toEqual({
    kind: "problem",
    text: `The pattern /${"a".repeat(60)}/ has more than 200 characters. Search with plain words, or with a simpler pattern.`,
  });
});
