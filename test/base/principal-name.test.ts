import { expect, test } from "bun:test";

import { principalName } from "../../src/base/principal-name.ts";

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
