import { expect, test } from "bun:test";

import { isResultIdOf, newResultId, principalName } from "../../src/base/digests.ts";

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

const ids = [
  "token:alice",
  "token:Alice",
  "token:alice ",
  "token:al/ice",
  "token:al-ice",
  "token:..",
  "token:../alice",
  "token:alicé",
  "token:alice\u0301",
  "token:alic\u00e9",
  "",
  `jwt:https://issuer.example|${"x".repeat(500)}`,
  `jwt:https://issuer.example|${"x".repeat(499)}y`,
  "jwt:https://issuer.example|a|b",
  "jwt:https://issuer.example-a|b",
];

test("principalName: one for each id, also where letters are one", () => {
  const names = ids.map(principalName);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(new Set(ids).size);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{0,40}-[0-9a-f]{32}$/);
});
