import { isObject } from "../../src/base/values.ts";
import type { ObjectSchema } from "../../src/protocol/tool-types.ts";
import type { FixtureArguments } from "./fixture-tool.ts";

/** What is wrong with the arguments: a required one is missing, or one has another JSON type. Undefined: nothing. */
export function argumentProblem(schema: ObjectSchema, args: FixtureArguments): string | undefined {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required.find((name) => args[name] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const [name, value] of Object.entries(args)) {
    const property = properties[name];
    const type = isObject(property) ? property.type : undefined;
    if (typeof type === "string" && !hasType(value, type)) return `${name} must be of type ${type}`;
  }
  return undefined;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
