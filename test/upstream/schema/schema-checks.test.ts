import { describe, expect, test } from "bun:test";

import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import fc from "fast-check";

import type { Params } from "../../../src/protocol/json-rpc.ts";
import { SchemaChecks } from "../../../src/upstream/schema/schema-checks.ts";
import { isTamePattern } from "../../../src/upstream/schema/tame-pattern.ts";
import { shareOf } from "../../fixtures/long-run.ts";

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
  [
    "what a slow pattern below not leaves open",
    object({ a: { not: { pattern: "^(a+)+$" } } }),
    { a: "b" },
    undefined,
  ],
  ["a format below not", object({ a: { not: { format: "date" } } }), { a: "b" }, undefined],
  [
    "choices that differ in their formats",
    object({ a: { oneOf: [{ format: "date" }, { format: "date-time" }] } }),
    { a: "2026-01-01" },
    undefined,
  ],
  [
    "choices that differ in their formats, beside others",
    {
      allOf: [{ required: ["b"] }],
      anyOf: [{}],
      oneOf: [{ format: "date" }, { pattern: "^(a+)+$" }],
    },
    {},
    '"b" is missing',
  ],
  [
    "a choice that nothing fits, although formats are left out",
    object({ a: { oneOf: [{ type: "string", format: "date" }, { type: "null" }] } }),
    { a: 1 },
    "a: Instance does not match any subschemas.; a: must be string, and is number; a: must be null, and is number",
  ],
  [
    "a condition with a slow pattern",
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    object({ a: { if: { pattern: "^(a+)+$" }, then: { maxLength: 1 } } }),
    { a: "bc" },
    undefined,
  ],
  [
    "at most one item of a format",
    object({ a: { contains: { format: "date" }, maxContains: 1 } }),
    { a: ["2026-01-01", "b"] },
    undefined,
  ],
  [
    "a reference below not to a slow pattern",
    { $defs: { n: { pattern: "^(a+)+$" } }, ...object({ a: { not: { $ref: "#/$defs/n" } } }) },
    { a: "b" },
    undefined,
  ],
  [
    "members that a part elsewhere knows",
    {
      ...object({}),
      allOf: [{ $ref: "https://example.com/x.json" }],
      unevaluatedProperties: false,
    },
    { a: 1 },
    undefined,
  ],
  [
    "members that a pattern below knows",
    {
      ...object({}),
      allOf: [{ patternProperties: { "^(a+)+$": {} } }],
      unevaluatedProperties: false,
    },
    { a: 1 },
    undefined,
  ],
  [
    "members that nobody knows, beside a format",
    { ...object({ a: { format: "date" } }), unevaluatedProperties: false },
    { b: 1 },
    "b: is not known",
  ],
  [
    "what not forbids",
    object({ a: { not: { type: "string" } } }),
    { a: "b" },
    'a: Instance matched "not" schema.',
  ],
  [
    "a reference inside a schema that has a name of its own",
    {
      $defs: { n: { type: "string" } },
      ...object({
        a: {
          $id: "https://example.com/a",
          $defs: { n: { type: "number" } },
          ...object({ b: { $ref: "#/$defs/n" } }),
        },
      }),
    },
    { a: { b: 1 } },
    undefined,
  ],
  [
    "a short name that a schema inside has as well",
    {
      $defs: {
        n: { $anchor: "n", type: "number" },
        other: { $id: "https://example.com/a", $defs: { n: { $anchor: "n", type: "string" } } },
      },
      ...object({ a: { $ref: "#n" } }),
    },
    { a: 1 },
    undefined,
  ],
  [
    "what is beside a reference outside, in draft-07",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { n: { type: "number" } },
      ...object({
        a: { $ref: "https://example.com/x.json", type: "string" },
        b: { $ref: "#/definitions/n" },
      }),
    },
    { a: 1, b: "x" },
    "b: must be number, and is string",
  ],
  [
    "members that a condition knows, two references away from a format",
    {
      $defs: {
        date: object({ a: { format: "date" } }),
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        dated: { if: { $ref: "#/$defs/date" }, then: {} },
      },
      ...object({ b: { $ref: "#/$defs/dated", unevaluatedProperties: false } }),
    },
    { b: { a: "2026-01-01" } },
    undefined,
  ],
  [
    "an exclusive limit of draft-04 and OpenAPI 3.0",
    object({
      a: { minimum: 0, exclusiveMinimum: true },
      b: { type: "integer", maximum: 5, exclusiveMaximum: false },
    }),
    { a: 1, b: 6 },
    "b: 6 is greater than 5.",
  ],
  ["a type that JSON does not have", object({ a: { type: "any" } }), { a: 1 }, undefined],
  [
    "what a type that JSON does not have leaves open below not",
    object({ a: { not: { type: ["file", "null"] } } }),
    { a: 1 },
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

/** A part without parts. A pattern and a format are among what a copy leaves out. */
const leaf = fc
  .record<Record<string, unknown>>(
    {
      type: fc.constantFrom("string", "object", "array", "number"),
      const: fc.constantFrom<unknown>("a", 1),
      pattern: fc.constantFrom("^(a+)+$", "^[ab]$"),
      format: fc.constant("date"),
      uniqueItems: fc.boolean(),
      maxContains: fc.constant(1),
    },
    { requiredKeys: [] },
  )
  // The validator forgets the least number, which is 1, beside a greatest one.
  .map((part) => ("maxContains" in part ? { ...part, minContains: 1 } : part));

const memberName = fc.constantFrom("a", "b", "cc");

/** Values and schemas of few words, so that they meet. */
const { schema, value } = fc.letrec<{ schema: Record<string, unknown>; value: unknown }>((tie) => {
  const keyword = (name: string, content: fc.Arbitrary<unknown>): fc.Arbitrary<Params> =>
    content.map((given) => ({ [name]: given }));
  const parts = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const keywords = [
    ...["not", "if", "then", "else", "contains", "items"].map((name) =>
      keyword(name, tie("schema")),
    ),
    ...["oneOf", "anyOf", "allOf"].map((name) => keyword(name, parts)),
    ...["additionalProperties", "unevaluatedProperties", "unevaluatedItems"].map((name) =>
      keyword(name, fc.oneof(fc.boolean(), tie("schema"))),
    ),
    keyword("properties", fc.dictionary(memberName, tie("schema"), { maxKeys: 2 })),
    keyword(
      "patternProperties",
      fc.dictionary(fc.constantFrom("^(c+)+$", "^[ab]$"), tie("schema"), { maxKeys: 2 }),
    ),
    keyword("$ref", fc.constant("#/$defs/shared")),
  ];
  return {
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom<unknown>("a", "b", "2026-01-01", 1, null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(memberName, tie("value"), { maxKeys: 3 }),
    ),
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc
        .array(fc.oneof(leaf, ...keywords), { minLength: 1, maxLength: 3 })
        .map((given) => Object.assign({}, ...given)),
    ),
  };
});

test("whatever a schema accepts is accepted, whatever is left out of its copy", async () => {
  const validator = new CfWorkerJsonSchemaValidator({ shortcircuit: false });
  await fc.assert(
    fc.asyncProperty(schema, leaf, value, async (root, shared, given) => {
      const whole: Params = { ...root, $defs: { shared } };
      fc.pre(validator.getValidator(whole)(given).valid);
      expect(await new SchemaChecks().check(whole, given)).toBeUndefined();
    }),
    { numRuns: shareOf(1_000) },
  );
});
