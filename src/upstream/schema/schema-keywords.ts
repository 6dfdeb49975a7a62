import type { Params } from "../../protocol/json-rpc.ts";

/** Keywords that are copied unchanged. `$id` would only move references, so it is left out. */
export const plainKeywords: ReadonlySet<string> = new Set([
  "type",
  "enum",
  "const",
  "required",
  "dependentRequired",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
  "$anchor",
]);
export const listKeywords: ReadonlySet<string> = new Set(["allOf", "anyOf", "prefixItems"]);
/** Only references lead to what is below these. */
export const definitionKeywords: ReadonlySet<string> = new Set(["$defs", "definitions"]);
export const mapKeywords: ReadonlySet<string> = new Set([
  ...definitionKeywords,
  "properties",
  "dependentSchemas",
]);
export const schemaKeywords: ReadonlySet<string> = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "propertyNames",
  "then",
  "else",
]);
/** Left out, although they may forbid something. */
export const uncheckedKeywords: ReadonlySet<string> = new Set(["format", "dependencies"]);
/** Left out, although they may forbid something and tell which members are known. */
export const unfollowedKeywords: ReadonlySet<string> = new Set(["$dynamicRef", "$recursiveRef"]);

const types: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

/**
 * False for what servers write into a keyword and the validator takes for something else: `exclusiveMinimum: true` of
 * OpenAPI 3.0 and draft-04, which it compares with numbers, and types that JSON does not have (`any`).
 */
export function hasUse(keyword: string, content: unknown): boolean {
  switch (keyword) {
    case "type":
      return [content].flat().every((type) => types.has(type));
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return typeof content === "number";
    default:
      return true;
  }
}

/** Up to draft-07, whatever is beside a reference is ignored. */
export function ignoresBesideReference({ $schema }: Params): boolean {
  return typeof $schema === "string" && /\/draft-0[1-7]\//.test($schema);
}
