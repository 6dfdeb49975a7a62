import { expect, test } from "bun:test";

import { isResultIdOf, newResultId } from "../../src/base/result-ids.ts";

test("an id is its client's, and no other's", () => {
  const id = newResultId("ann");
  expect(id).toMatch(/^[0-9a-z]{1,16}-[0-9a-f]{16}-[0-9a-f]{8}$/);
  expect([isResultIdOf("ann", id), isResultIdOf("bob", id), isResultIdOf("", id)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(newResultId("ann")).not.toBe(id);
});

test.each([
  ["", "of nothing"],
  ["a-0123456789abcdef", "without a mark"],
  ["../a-0123456789abcdef-01234567", "a path"],
  ["a-0123456789abcdef-01234567", "with the mark of nobody"],
])("%j is none: %s", (id) => {
  expect(isResultIdOf("ann", id)).toBe(false);
});

test("a changed id is none", () => {
  const id = newResultId("ann");
  const changed = `${id.startsWith("0") ? "1" : "0"}${id.slice(1)}`;
  expect([isResultIdOf("ann", changed), isResultIdOf("ann", `${id}\n`)]).toEqual([false, false]);
});
