import { describe, expect, test } from "bun:test";
import { paramHeadersOf } from "../../src/protocol/headers.ts";

const annotated = { type: "string", "x-mcp-header": "Region" };
const region = { name: "mcp-param-region", path: ["region"] };

function object(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: "object", properties };
}

describe("paramHeadersOf(), valid", () => {
  test.each<[string, unknown, unknown]>([
    ["no annotation", object({ a: { type: "string" } }), []],
    ["no properties", { type: "object" }, []],
    ["no schema", undefined, []],
    ["a boolean schema", true, []],
    ["one annotation", object({ region: annotated }), [region]],
    [
      "all types",
      object({
        s: { type: "string", "x-mcp-header": "s" },
        i: { type: "integer", "x-mcp-header": "i" },
        b: { type: "boolean", "x-mcp-header": "b" },
      }),
      [
        { name: "mcp-param-b", path: ["b"] },
        { name: "mcp-param-i", path: ["i"] },
        { name: "mcp-param-s", path: ["s"] },
      ],
    ],
    [
      "nested objects",
      object({ a: object({ b: object({ "c.d": annotated }) }) }),
      [{ name: "mcp-param-region", path: ["a", "b", "c.d"] }],
    ],
    [
      "all characters of a token",
      object({ region: { type: "string", "x-mcp-header": "!#$%&'*+-.^_`|~09AZaz" } }),
      [{ name: "mcp-param-!#$%&'*+-.^_`|~09azaz", path: ["region"] }],
    ],
    ["a property of that name", object({ "x-mcp-header": { type: "string" } }), []],
    [
      "a property named as a keyword",
      object({ items: annotated }),
      [{ ...region, path: ["items"] }],
    ],
    [
      "data that looks like an annotation",
      object({
        a: { default: annotated, const: annotated, enum: [annotated], examples: [annotated] },
      }),
      [],
    ],
    [
      "a property that cannot be written in source",
      JSON.parse('{"properties":{"__proto__":{"type":"string","x-mcp-header":"Region"}}}'),
      [{ ...region, path: ["__proto__"] }],
    ],
  ])("reads %s", (_name, schema, expected) => {
    const reading = paramHeadersOf(schema);
    const headers: unknown =
      reading.kind === "headers"
        ? reading.headers.toSorted((one, other) => one.name.localeCompare(other.name))
        : reading;
    expect(headers).toEqual(expected);
  });

  test("reads a schema that is wide, and one that is deep", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, index) => [`p${index}`, {}]),
    );
    expect(paramHeadersOf(object({ ...wide, region: annotated }))).toEqual({
      kind: "headers",
      headers: [region],
    });
    let deep: unknown = annotated;
    for (let level = 0; level < 1000; level += 1) deep = { items: deep };
    expect(paramHeadersOf(deep).kind).toBe("invalid");
  });
});

const notAName = "is not a header name";
const notReachable = 'is on a property that is not reached through "properties" alone';
const wrongType = "is on a property whose type is not integer, string or boolean";

describe("paramHeadersOf(), invalid", () => {
  test.each<[string, unknown, string]>([
    ["an empty name", { type: "string", "x-mcp-header": "" }, `"" ${notAName}`],
    ["a blank", { type: "string", "x-mcp-header": "a b" }, `"a b" ${notAName}`],
    ["a line break", { type: "string", "x-mcp-header": "a\r\nb" }, `"a\\r\\nb" ${notAName}`],
    ["a colon", { type: "string", "x-mcp-header": "a:b" }, `"a:b" ${notAName}`],
    ["a letter beyond ASCII", { type: "string", "x-mcp-header": "é" }, `"é" ${notAName}`],
    ["a number", { type: "string", "x-mcp-header": 5 }, `5 ${notAName}`],
    ["null", { type: "string", "x-mcp-header": null }, `null ${notAName}`],
    ["type number", { type: "number", "x-mcp-header": "a" }, `"a" ${wrongType}`],
    ["type object", { type: "object", "x-mcp-header": "a" }, `"a" ${wrongType}`],
    ["type array", { type: "array", "x-mcp-header": "a" }, `"a" ${wrongType}`],
    ["no type", { "x-mcp-header": "a" }, `"a" ${wrongType}`],
    ["two types", { type: ["string", "null"], "x-mcp-header": "a" }, `"a" ${wrongType}`],
    ["a reference", { $ref: "#/$defs/a", "x-mcp-header": "a" }, `"a" ${wrongType}`],
    ["items", { items: annotated }, `"Region" ${notReachable}`],
    ["properties below items", { items: object({ a: annotated }) }, `"Region" ${notReachable}`],
    ["prefixItems", { prefixItems: [annotated] }, `"Region" ${notReachable}`],
    ["oneOf", { oneOf: [annotated] }, `"Region" ${notReachable}`],
    ["anyOf", { anyOf: [object({ a: annotated })] }, `"Region" ${notReachable}`],
    ["not", { not: annotated }, `"Region" ${notReachable}`],
    ["else", { else: object({ a: annotated }) }, `"Region" ${notReachable}`],
    ["additionalProperties", { additionalProperties: annotated }, `"Region" ${notReachable}`],
    ["patternProperties", { patternProperties: { "^a": annotated } }, `"Region" ${notReachable}`],
    ["dependentSchemas", { dependentSchemas: { a: annotated } }, `"Region" ${notReachable}`],
    ["$defs", { $defs: { a: annotated } }, `"Region" ${notReachable}`],
    ["a keyword of somebody else", { "x-more": { deep: annotated } }, `"Region" ${notReachable}`],
  ])("refuses %s", (_name, property, reason) => {
    expect(paramHeadersOf(object({ a: property }))).toEqual({
      kind: "invalid",
      reason: `x-mcp-header ${reason}`,
    });
  });

  test.each<[string, unknown, string]>([
    ["allOf at the root", { allOf: [object({ a: annotated })] }, `"Region" ${notReachable}`],
    ["the root itself", annotated, `"Region" ${notReachable}`],
    [
      "a name twice in other case",
      object({ a: annotated, b: object({ c: { type: "integer", "x-mcp-header": "REGION" } }) }),
      "is used twice",
    ],
  ])("refuses %s", (_name, schema, reason) => {
    const reading = paramHeadersOf(schema);
    expect(reading.kind === "invalid" ? reading.reason : reading).toEndWith(reason);
  });
});
