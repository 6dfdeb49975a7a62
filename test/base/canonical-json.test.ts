import { expect, test } from "bun:test";
import fc from "fast-check";

import { canonicalJson } from "../../src/base/values.ts";

test.each<[unknown, string]>([
  [{ b: 1, a: { d: [{ f: 1, e: 2 }], c: null } }, '{"a":{"c":null,"d":[{"e":2,"f":1}]},"b":1}'],
  [[2, 1, "é"], '[2,1,"é"]'],
  [{ a: undefined, b: 0 }, '{"b":0}'],
  [JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
  ["x", '"x"'],
])("canonicalJson(%j)", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test("canonicalJson() is the same for the members in any order, and loses nothing", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).toReversed();
    return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(reversed(value))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
