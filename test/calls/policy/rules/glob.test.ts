import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { globWorkMax } from "../../../../src/base/limits.ts";
import { createGlob, globMatches, globMayMatch } from "../../../../src/calls/policy/rules/glob.ts";

describe("globMatches", () => {
  test.each<[string, string, boolean]>([
    ["a", "a", true],
    ["a", "ab", false],
    ["", "", true],
    ["*", "", true],
    ["a*", "a/b", true],
    ["*b", "ab", true],
    ["a*b*c", "aXbYc", true],
    ["a*b*c", "aXcYb", false],
    ["ab*ba", "aba", false],
    ["?", "a", true],
    ["?", "", false],
    ["a?*?", "ab", false],
    ["*?b*", "ab", true],
    ["[a]", "a", false],
    ["a.b", "axb", false],
  ])("%s on %s: %p", (pattern, text, expected) => {
    expect(globMatches(createGlob(pattern), text)).toBe(expected);
  });

  test("is what the expression says", () => {
    const chars = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
    const texts = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
    fc.assert(
      fc.property(chars, texts, (pattern, text) => {
        const source = pattern.replaceAll("*", "[^]*").replaceAll("?", "[^]");
        expect(globMatches(createGlob(pattern), text)).toBe(new RegExp(`^${source}$`).test(text));
        const word = { pieces: [text], isMany: false };
        expect(globMayMatch(createGlob(pattern), word)).toBe(
          globMatches(createGlob(pattern), text),
        );
      }),
    );
  });
});

describe("globMayMatch", () => {
  test.each<[string, string[], boolean]>([
    ["push", ["", ""], true],
    ["push", ["pu", ""], true],
    ["push", ["x", ""], false],
    ["/a/*", ["", "/b"], true],
    ["/a/b", ["/a/", "c"], false],
    ["*.c", ["", ".d"], false],
    ["a*d", ["a", "c", ""], true],
  ])("%s on %j: %p", (pattern, pieces, expected) => {
    expect(globMayMatch(createGlob(pattern), { pieces, isMany: false })).toBe(expected);
  });

  test("takes the possible for granted when it would take long", () => {
    const pieces = ["x".repeat(globWorkMax / 2), ""];
    expect(globMayMatch(createGlob("ab"), { pieces: ["x", ""], isMany: false })).toBe(false);
    expect(globMayMatch(createGlob("ab"), { pieces, isMany: false })).toBe(true);
  });
});
