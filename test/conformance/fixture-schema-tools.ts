import { type FixtureTool, textResult } from "./fixture-tool.ts";

/** Has to come back from `tools/list` as it is: every keyword of 2020-12 that a careless copy would lose. */
const jsonSchema202012: FixtureTool = {
  listing: {
    name: "json_schema_2020_12_tool",
    description: "Takes arguments that are described with the keywords of JSON Schema 2020-12.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: {
        properties: { contactMethod: { const: "phone" } },
        required: ["contactMethod"],
      },
      // oxlint-disable-next-line unicorn/no-thenable
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
  },
  answer: (_call, args) => textResult(`Arguments: ${JSON.stringify(args)}`),
};

const parameterHeaders: FixtureTool = {
  listing: {
    name: "test_x_mcp_header",
    description: "Takes two arguments that a client repeats in headers.",
    inputSchema: {
      type: "object",
      properties: {
        region: {
          type: "string",
          description: "Any name of a region.",
          "x-mcp-header": "Region",
        },
        level: { type: "integer", description: "Any whole number.", "x-mcp-header": "Level" },
      },
    },
  },
  answer: (_call, args) => textResult(`Region ${String(args.region)}, level ${String(args.level)}`),
};

/** Tools whose input schema is what they are for. */
export const schemaTools: readonly FixtureTool[] = [jsonSchema202012, parameterHeaders];
