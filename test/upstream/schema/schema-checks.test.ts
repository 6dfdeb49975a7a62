import { describe, expect, test } from "bun:test";

import type { Params } from "../../../src/protocol/json-rpc.ts";
import { SchemaChecks } from "../../../src/upstream/schema/schema-checks.ts";
import { isTamePattern } from "../../../src/upstream/schema/copy-schema.ts";

const object = (properties: Params, more: Params = {}): Params => ({
  type: "object",
  properties,
  ...more,
});

const rows: readonly (readonly [
  what: string,
  schema: Params,
  value: unknown,
  fault: string | undefined,
])[] = [
  ["a right value", object({ a: { type: "string" } }), { a: "x" }, undefined],
  ["a wrong type", object({ a: { type: "string" } }), { a: 1 }, "a: must be string, and is number"],
  ["a missing member", object({}, { required: ["a"] }), {}, '"a" is missing'],
  [
    "one of several",
    object({ a: { enum: ["x", "y"] } }),
    { a: "z" },
    'a: must be one of ["x","y"]',
  ],
  [
    "a nested path",
    object({ a: { items: object({ b: { type: "integer" } }) } }),
    { a: [{ b: 1.5 }] },
    "a.0.b: must be integer, and is number",
  ],
  [
    "a member too many",
    object({ a: {} }, { additionalProperties: false }),
    { a: 1, b: 2 },
    "b: is not known",
  ],
  [
    "a reference inside",
    { $defs: { n: { type: "number" } }, ...object({ a: { $ref: "#/$defs/n" } }) },
    { a: "x" },
    "a: must be number, and is string",
  ],
  [
    "a reference outside, which is never fetched",
    object({ a: { $ref: "https://example.com/x.json" } }),
    { a: "x" },
    undefined,
  ],
  ["a reference to nowhere", object({ a: { $ref: "#/$defs/none" } }), { a: "x" }, undefined],
  ["a reference to itself", { $ref: "#", type: "object" }, {}, undefined],
  [
    "a pattern",
    object({ a: { pattern: "^x+$" } }),
    { a: "y" },
    "a: String does not match pattern.",
  ],
  [
    "a pattern that would take for ever",
    object({ a: { pattern: "^(a+)+$" } }),
    { a: `${"a".repeat(40)}b` },
    undefined,
  ],
  ["an unknown dialect", { $schema: "https://example.com/mine", type: "string" }, 1, undefined],
  [
    "draft-07",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object({ a: { items: [{ type: "string" }] } }),
    },
    { a: [1] },
    "a.0: must be string, and is number",
  ],
  [
    "__proto__ as a member",
    object(JSON.parse('{"__proto__":{"type":"string"}}')),
    JSON.parse('{"__proto__":1}'),
    "__proto__: must be string, and is number",
  ],
];

describe("SchemaChecks.check()", () => {
  test.each(rows)("%s", async (_what, schema, value, fault) => {
    expect(await new SchemaChecks().check(schema, value)).toBe(fault);
  });

  test("a check that doubles with each reference ends, and lets pass", async () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let step = 1; step <= 40; step++) {
      $defs[`d${step}`] = {
        allOf: [{ $ref: `#/$defs/d${step - 1}` }, { $ref: `#/$defs/d${step - 1}` }],
      };
    }
    expect(await new SchemaChecks().check({ $defs, $ref: "#/$defs/d40" }, 1)).toBeUndefined();
  });

  test("a schema that is too deep, or a value that is, lets pass", async () => {
    let schema: Params = { type: "string" };
    for (let depth = 0; depth < 100; depth++) schema = object({ a: schema });
    expect(await new SchemaChecks().check(schema, { a: 1 })).toBeUndefined();
    let value: unknown = 1;
    for (let depth = 0; depth < 50_000; depth++) value = { a: value };
    expect(await new SchemaChecks().check(object({ a: { $ref: "#" } }), value)).toBeUndefined();
  });

  test("a long list is not compared all with all", async () => {
    const schema = { type: "array", uniqueItems: true };
    expect(await new SchemaChecks().check(schema, [1, 1])).toMatch(/^Duplicate items/);
    expect(
      await new SchemaChecks().check(
        schema,
        Array.from({ length: 100_000 }, () => 1),
      ),
    ).toBeUndefined();
  });

  test("many patterns, each of which takes its time, end, and let pass", async () => {
    const slow = { pattern: "^a*a*b$" };
    const schema = { allOf: Array.from({ length: 5_000 }, () => slow) };
    expect(await new SchemaChecks().check(schema, "a".repeat(4_000))).toBeUndefined();
    const patternProperties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`^a*a*b${at}$`, {}]),
    );
    const value = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => ["a".repeat(1_000 + at), 1]),
    );
    expect(await new SchemaChecks().check({ patternProperties }, value)).toBeUndefined();
  });

  test("of many faults five are named", async () => {
    const fault = await new SchemaChecks().check(
      object({}, { required: ["a", "b", "c", "d", "e", "f", "g"] }),
      {},
    );
    expect(fault?.split("; ")).toEqual([
      '"a" is missing',
      '"b" is missing',
      '"c" is missing',
      '"d" is missing',
      '"e" is missing',
      "and 2 more",
    ]);
  });
});

test.each([
  ["^[a-z0-9-]+$", true],
  ["^\\d{4}-\\d{2}-\\d{2}$", true],
  ["^(foo|bar)$", true],
  ["^(?:ab)+$", true],
  ["^([a-z]+\\.)+[a-z]+$", false],
  ["(a|aa)+", false],
  ["((a)+b)*", false],
  ["a*a*a*b", false],
  ["(?=a)b", false],
  ["(a)\\1", false],
  ["(", false],
  ["a".repeat(501), false],
  ["^[a-z]{2,5}(?:-[A-Z]{2})?$", true],
  ["^\\S+@\\S+$", true],
  ["foo|bar", true],
  ["a*b", true],
  ["^a*b|a*a*c", false],
  ["a*a*b", false],
  ["^a{1,1000}a{1,1000}a{1,1000}b$", false],
  [`^${"a?".repeat(26)}${"a".repeat(26)}$`, false],
  [`^${"(?:a|a)?".repeat(20)}b$`, false],
  ["^(?:a|a){30}b$", false],
  ["^(?:a?){30}b$", false],
  ["^a+?a+?a+?b$", false],
])("isTamePattern(%j) is %p", (pattern, isTame) => {
  expect(isTamePattern(pattern)).toBe(isTame);
});
