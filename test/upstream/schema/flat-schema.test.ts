import { expect, test } from "bun:test";

import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import fc from "fast-check";

import type { Params } from "../../../src/protocol/json-rpc.ts";
import { flatTest } from "../../../src/upstream/schema/flat-schema.ts";

const text = { type: "string", description: "A text." };

test.each<[what: string, schema: Params, value: unknown, isValid: boolean | undefined]>([
  ["all members", { type: "object", properties: { a: text }, required: ["a"] }, { a: "x" }, true],
  ["none of them", { type: "object", properties: { a: text } }, {}, true],
  ["no properties", { type: "object" }, { b: [1] }, true],
  ["one that is missing", { type: "object", properties: { a: text }, required: ["a"] }, {}, false],
  ["required only", { type: "object", required: ["toString"] }, {}, false],
  ["another type", { type: "object", properties: { a: text } }, { a: 1 }, false],
  ["a number", { type: "object", properties: { a: { type: "number" } } }, { a: 1.5 }, true],
  ["no integer", { type: "object", properties: { a: { type: "integer" } } }, { a: 1.5 }, false],
  ["a member more", { type: "object", properties: { a: text } }, { b: 1 }, true],
  [
    "one too many",
    { type: "object", properties: { a: text }, additionalProperties: false },
    { a: "x", b: 1 },
    false,
  ],
  ["inherited", { type: "object", properties: { toString: text } }, {}, false],
  ["a list", { type: "object" }, [], false],
  ["null", { type: "object" }, null, false],
  ["a pattern", { type: "object", properties: { a: { ...text, pattern: "x" } } }, {}, undefined],
  ["two types", { type: "object", properties: { a: { type: ["string", "null"] } } }, {}, undefined],
  ["no type", { type: "object", properties: { a: {} } }, {}, undefined],
  ["a type that is none", { type: "object", properties: { a: { type: "any" } } }, {}, undefined],
  ["a reference", { type: "object", properties: { a: { $ref: "#" } } }, {}, undefined],
  ["a schema of others", { type: "object", additionalProperties: text }, {}, undefined],
  ["a count", { type: "object", minProperties: 1 }, {}, undefined],
  ["draft-04", { type: "object", properties: { a: { ...text, required: true } } }, {}, undefined],
  ["no object", { type: "string" }, "x", undefined],
])("a flat schema: %s", (_, schema, value, isValid) => {
  expect(flatTest(schema)?.(value)).toBe(isValid);
});

test("what passes is valid to the validator", () => {
  const validators = new CfWorkerJsonSchemaValidator({ shortcircuit: false });
  const name = fc.constantFrom("a", "b", "toString", "__proto__");
  const type = fc.constantFrom("string", "number", "integer", "boolean");
  const schemas = fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(name, fc.record({ type })),
      required: fc.uniqueArray(name),
      additionalProperties: fc.boolean(),
    },
    { requiredKeys: ["type"] },
  );
  const values = fc.dictionary(
    name,
    fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean()),
  );
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      if (flatTest(schema)?.(value) !== true) return;
      expect(validators.getValidator(schema)(value).valid).toBe(true);
    }),
  );
});
