import { expect, test } from "bun:test";

import type { ObjectSchema } from "../../../src/protocol/tool-types.ts";
import { flattenSchema } from "../../../src/upstream/catalogue/tool-listing.ts";

const string = { type: "string" };
const rows: readonly (readonly [what: string, schema: ObjectSchema, flat: unknown])[] = [
  [
    "nothing to do",
    { type: "object", properties: { a: string } },
    { schema: { type: "object", properties: { a: string } } },
  ],
  [
    "anyOf: all properties, required by each",
    {
      type: "object",
      anyOf: [
        { properties: { a: string, b: string }, required: ["a", "b"] },
        { properties: { a: string, c: string }, required: ["a", "c"] },
      ],
    },
    {
      schema: { type: "object", properties: { a: string, b: string, c: string }, required: ["a"] },
      note: "Arguments must fit at least one of: (a, b) (a, c).",
    },
  ],
  [
    "oneOf beside properties of the root, which win",
    {
      type: "object",
      properties: { a: { type: "number" } },
      required: ["a"],
      oneOf: [{ properties: { a: string }, required: ["x"] }, { required: [] }],
    },
    {
      schema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      note: "Arguments must fit exactly one of: (x) (none required).",
    },
  ],
  [
    "allOf: required by any",
    {
      type: "object",
      allOf: [
        { properties: { a: string }, required: ["a"] },
        { properties: { b: string }, required: ["b"] },
      ],
    },
    { schema: { type: "object", properties: { a: string, b: string }, required: ["a", "b"] } },
  ],
  [
    "a branch that is a reference",
    {
      type: "object",
      $defs: { x: { properties: { a: string }, required: ["a"] } },
      anyOf: [{ $ref: "#/$defs/x" }],
    },
    {
      schema: {
        type: "object",
        $defs: { x: { properties: { a: string }, required: ["a"] } },
        properties: { a: string },
        required: ["a"],
      },
      note: "Arguments must fit at least one of: (a).",
    },
  ],
  [
    "branches that are none, and references to nowhere",
    {
      type: "object",
      anyOf: [
        1,
        null,
        { $ref: "#/constructor" },
        { $ref: "https://example.com" },
        { required: [1] },
      ],
    },
    {
      schema: { type: "object", properties: {} },
      note: "Arguments must fit at least one of: (none required) (none required) (none required).",
    },
  ],
  [
    "combinators that are no lists",
    { type: "object", anyOf: {} },
    { schema: { type: "object", properties: {} } },
  ],
  [
    "a property by which branches are told apart, and one that differs",
    {
      type: "object",
      oneOf: [
        { properties: { kind: { const: "file" }, at: string }, required: ["kind", "at"] },
        { properties: { kind: { const: "url" }, at: { type: "number" } }, required: ["kind"] },
        { properties: { kind: { enum: ["url", "text"] } }, required: ["kind"] },
      ],
    },
    {
      schema: {
        type: "object",
        properties: {
          kind: { enum: ["file", "url", "text"] },
          at: { anyOf: [string, { type: "number" }] },
        },
        required: ["kind"],
      },
      note: "Arguments must fit exactly one of: (kind, at) (kind) (kind).",
    },
  ],
  [
    "a property of which allOf says several things",
    {
      type: "object",
      allOf: [{ properties: { a: string } }, { properties: { a: { minLength: 1 } } }],
    },
    { schema: { type: "object", properties: { a: { allOf: [string, { minLength: 1 }] } } } },
  ],
];

test.each(rows)("GW-31, CA18: flattenSchema() with %s", (_what, schema, flat) => {
  expect(flattenSchema(schema) as unknown).toEqual(flat);
});

test("flattenSchema() of a property named __proto__ keeps it as a property", () => {
  const schema = JSON.parse(
    '{"type":"object","anyOf":[{"properties":{"__proto__":{"type":"string"}}}]}',
  ) as ObjectSchema;
  expect(JSON.stringify(flattenSchema(schema).schema)).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
  );
});

test("flattenSchema() names some of many branches", () => {
  const schema = {
    type: "object",
    anyOf: Array.from({ length: 1_000 }, (_, index) => ({ required: [`name${index}`] })),
  } as const;
  expect(flattenSchema(schema).note?.length).toBeLessThan(600);
});
