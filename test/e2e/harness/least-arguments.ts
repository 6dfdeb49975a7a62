import { isObject } from "../../../src/base/values.ts";
import type { Params } from "../../../src/protocol/json-rpc.ts";

/** Texts of formats. */
const texts: Readonly<Record<string, string>> = {
  email: "ada@example.com",
  uri: "https://example.com/",
  date: "1815-12-10",
};

/** The least that a schema lets through, as far as it can be seen: for tools that no table has arguments for. */
export function leastArguments(schema: unknown): Params {
  if (!isObject(schema)) return {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return Object.fromEntries(required.map((name) => [name, leastValue(properties[name])]));
}

function leastValue(schema: unknown): unknown {
  if (!isObject(schema)) return "Ada";
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ("const" in schema) return schema.const;
  const variants = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(variants)) return leastValue(variants[0]);
  const [type] = Array.isArray(schema.type) ? (schema.type as readonly unknown[]) : [schema.type];
  const least: Readonly<Record<string, () => unknown>> = {
    number: () => schema.minimum ?? 1,
    integer: () => schema.minimum ?? 1,
    boolean: () => true,
    array: () => (Number(schema.minItems ?? 0) > 0 ? [leastValue(schema.items)] : []),
    object: () => leastArguments(schema),
    null: () => null,
  };
  return (least[String(type)] ?? (() => leastText(schema)))();
}

function leastText({ format, minLength = 0, maxLength }: Params): string {
  const text = (texts[String(format)] ?? "Ada").padEnd(Number(minLength), "a");
  return maxLength === undefined ? text : text.slice(0, Number(maxLength));
}
