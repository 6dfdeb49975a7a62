import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { linearPattern, PatternError } from "../../src/base/linear-pattern.ts";
import { linearPatternStepsMax } from "../../src/base/limits.ts";

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

describe("linearPattern() agrees with the engine of the runtime", () => {
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
    "[\\s\\S]{3}",
    "[^\\s]\\s",
    "^[^\\S]+$",
    "[[a]",
    "[.]",
    "\\u{20ac}",
    "\\p{L}",
    "[\\b]",
    "\\-12\\-",
  ])("/%s/", async (source) => {
    for (const flags of ["", "i", "m", "s"]) {
      // By code points, which these need.
      const expected = new RegExp(source, /\\[up]\{/.test(source) ? `${flags}u` : flags);
      const matcher = await linearPattern(source, flags);
      for (const text of texts) {
        expect({ flags, text, found: matcher.test(text) }).toEqual({
          flags,
          text,
          found: expected.test(text),
        });
      }
    }
  });

  test("for any pattern of these parts", async () => {
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
    await fc.assert(
      fc.asyncProperty(pattern, text, async (source, subject) => {
        const matcher = await linearPattern(source);
        expect(matcher.test(subject)).toBe(new RegExp(source).test(subject));
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ["(a", "is not a regular expression: missing closing ): `(a`"],
  ["a)", "is not a regular expression: unexpected ): `a)`"],
  ["[a", "is not a regular expression: missing closing ]: `[a`"],
  ["*a", "is not a regular expression: missing argument to repetition operator: `*`"],
  ["a\\", "is not a regular expression: trailing backslash at end of expression"],
  ["a{1001}", "is not a regular expression: invalid repeat count: `{1001}`"],
  ["a{3,2}", "is not a regular expression: invalid repeat count: `{3,2}`"],
  ["((a{100}){100}){100}", "is not a regular expression: invalid repeat count: `{100}`"],
  ["(a?){1000}", "repeats too much"],
  ["(a)\\1", "refers back, which is not supported"],
  ["(?<n>a)\\k<n>", "refers back, which is not supported"],
  ["(?=a)", "looks ahead or behind, which is not supported"],
  ["(?!a)", "looks ahead or behind, which is not supported"],
  ["(?<=a)b", "looks ahead or behind, which is not supported"],
  ["(?<!a)", "looks ahead or behind, which is not supported"],
  ["\\Aa", "has \\A, which is not supported"],
  ["\\Qa", "has \\Q, which is not supported"],
  ["(?s).", "has `(?s`, which is not supported"],
  ["(?P<n>a)", "has `(?P`, which is not supported"],
])("/%s/ is refused: %s", async (source, message) => {
  const failure: unknown = await linearPattern(source).catch((error: unknown) => error);
  expect(failure).toEqual(new PatternError(message));
});

test("a pattern may be as long as plain text of the bound", async () => {
  expect((await linearPattern("a".repeat(1_000))).test("a".repeat(1_000))).toBe(true);
  const failure: unknown = await linearPattern("a".repeat(linearPatternStepsMax)).catch(String);
  expect(failure).toBe("PatternError: repeats too much");
});

test.each(["(a+)+$", "(a|a)*$", "(.*)*(.*)*(.*)*y$", "(x?){100}x{100}$", "(\\w+\\s?)*:$"])(
  "/%s/ does not hang",
  async (source) => {
    const pattern = await linearPattern(source);
    expect(pattern.test(`${"a".repeat(100_000)}!`)).toBe(source === "(a|a)*$");
  },
);
