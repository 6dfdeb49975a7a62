import { expect, test } from "bun:test";

import { instructions } from "../../src/program/instructions.ts";
import { catalogue } from "../../src/tools/catalogue.ts";

test("instructions are at most 2 KB and name only tools that there are", () => {
  expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2_048);
  const named = instructions.match(/\b[A-Z][a-z]+[A-Z][A-Za-z]+\b/g) ?? [];
  const names = catalogue.map(({ name }) => name);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

test("instructions name every tool, and what the server is for comes first", () => {
  expect(catalogue.filter(({ name }) => !instructions.includes(name))).toEqual([]);
  expect(instructions).toMatch(/^scorpiox-code runs shell commands/);
});
