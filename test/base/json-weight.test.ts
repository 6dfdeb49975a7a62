import { expect, test } from "bun:test";
import * as fc from "fast-check";

import {
  upstreamMessageDepthMax as levels,
  upstreamMessageValuesMax as values,
} from "../../src/base/upstream-limits.ts";
import { excessOf, JsonWeight, type WeightBounds } from "../../src/base/weight.ts";

const encoder = new TextEncoder();

test.each<[string, string, string | undefined]>([
  ["a text with anything in it", `"${'\\"{[:,'.repeat(values)}"`, undefined],
  ["many small objects", `[${"{},".repeat(values)}{}]`, `${values} values`],
  ["many small lists", `[${"[],".repeat(values)}[]]`, `${values} values`],
  ["many numbers", `[${"1,".repeat(values + 1)}1]`, `${values} values`],
  ["fewer numbers", `[${"1,".repeat(values - 10)}1]`, undefined],
  ["levels", "[".repeat(levels + 1), `${levels} levels`],
  ["fewer levels", `${"[".repeat(levels)}1${"]".repeat(levels)}`, undefined],
  [
    "levels in a text that ends",
    `["${"[".repeat(levels)}",${"{".repeat(levels)}`,
    `${levels} levels`,
  ],
])("%s", (_, text, excess) => {
  expect(excessOf(encoder.encode(text))).toBe(excess);
});

test("how a message is divided changes nothing", () => {
  const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "}", ",", "a", "é") });
  fc.assert(
    fc.property(text, fc.nat(), (drawn, at) => {
      const bytes = encoder.encode(`${"[".repeat(levels)}${drawn}`);
      const weight = new JsonWeight();
      weight.add(bytes.subarray(0, at % bytes.length));
      weight.add(bytes.subarray(at % bytes.length));
      expect(weight.excess).toBe(excessOf(bytes));
    }),
  );
});

test("what stands in texts weighs nothing, however long they are and whatever is escaped in them", () => {
  const units = [
    '"',
    "\\",
    '\\"',
    "\\\\",
    "[",
    "{",
    "}",
    "]",
    ",",
    "é",
    "x".repeat(31),
    "x".repeat(40),
  ];
  const text = fc.string({ unit: fc.constantFrom(...units), maxLength: 200 });
  const bounds = { depthMax: 5, valuesMax: 20 };
  fc.assert(
    fc.property(text, fc.nat(), (drawn, at) => {
      const bytes = encoder.encode(drawn);
      const weight = new JsonWeight(bounds);
      weight.add(bytes.subarray(0, at % (bytes.length + 1)));
      weight.add(bytes.subarray(at % (bytes.length + 1)));
      expect(weight.excess !== undefined).toBe(weighsTooMuch(drawn, bounds));
    }),
    { numRuns: 1_000 },
  );
});

/** One character after the other. */
function weighsTooMuch(text: string, { depthMax, valuesMax }: WeightBounds): boolean {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)/g, "");
  let values = 0;
  let depth = 0;
  for (const char of outside) {
    if ("[{,".includes(char)) values += 1;
    if ("[{".includes(char)) depth += 1;
    if ("]}".includes(char)) depth -= 1;
    if (values > valuesMax || depth > depthMax) return true;
  }
  return false;
}
