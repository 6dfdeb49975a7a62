import fc from "fast-check";

import type { ObjectSchema, ToolListing } from "../../../src/protocol/tool-types.ts";

const property = fc.record(
  {
    type: fc.constantFrom("string", "integer", "number", "boolean", "array", "object"),
    description: fc.string({ unit: "grapheme", maxLength: 60 }),
    enum: fc.array(fc.string(), { maxLength: 3 }),
    items: fc.record({ type: fc.constant("string") }),
    default: fc.jsonValue(),
  },
  { requiredKeys: ["type"] },
);

const inputSchema = fc
  .record(
    {
      properties: fc.dictionary(fc.stringMatching(/^[a-zA-Z_][\w-]{0,20}$/), property, {
        maxKeys: 6,
        noNullPrototype: true,
      }),
      required: fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 }),
      additionalProperties: fc.boolean(),
      $defs: fc.constant({ a: { type: "string" } }),
      oneOf: fc.constant([{ required: ["a"] }, { required: ["b"] }]),
    },
    { requiredKeys: [] },
  )
  .map((schema): ObjectSchema => ({ type: "object", ...schema }));

const tool: fc.Arbitrary<ToolListing> = fc.record({
  name: fc.stringMatching(/^[a-zA-Z0-9_-]{1,44}$/),
  description: fc.string({ unit: "grapheme", maxLength: 300 }),
  inputSchema,
});

/** The same 500 tools each time, with schemas of all kinds. */
export const manyTools: readonly ToolListing[] = fc.sample(tool, { numRuns: 500, seed: 32 });
