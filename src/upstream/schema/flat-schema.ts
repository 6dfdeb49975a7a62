import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";

/** True: the value is valid. False says nothing, and the validator decides. */
export type FlatTest = (value: unknown) => boolean;

type TestOf = (value: unknown) => boolean;

const tests: Readonly<Record<string, TestOf>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
};

/** Keywords that forbid nothing, in every dialect. */
const annotations: ReadonlySet<string> = new Set([
  "$schema",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
]);

const propertiesMax = 64;

/**
 * A test for what most tools take: an object of texts, numbers and flags. The validator takes ten times as long for it, on
 * every call. Undefined for any other schema.
 */
export function flatTest(schema: Params): FlatTest | undefined {
  const { type, properties = {}, required = [], additionalProperties = true, ...rest } = schema;
  if (type !== "object" || !isObject(properties) || !isListOfNames(required)) return undefined;
  if (typeof additionalProperties !== "boolean" || !areAnnotations(rest)) return undefined;
  const members: [name: string, test: TestOf][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const test = memberTest(property);
    if (test === undefined || members.length >= propertiesMax) return undefined;
    members.push([name, test]);
  }
  const known = additionalProperties ? undefined : new Set(members.map(([name]) => name));
  return (value) =>
    isObject(value) &&
    required.every((name) => Object.hasOwn(value, name)) &&
    members.every(([name, test]) => value[name] === undefined || test(value[name])) &&
    (known === undefined || Object.keys(value).every((name) => known.has(name)));
}

function memberTest(property: unknown): TestOf | undefined {
  if (!isObject(property)) return undefined;
  const { type, ...rest } = property;
  if (typeof type !== "string" || !Object.hasOwn(tests, type) || !areAnnotations(rest))
    return undefined;
  return tests[type];
}

function areAnnotations(keywords: Params): boolean {
  return Object.keys(keywords).every((keyword) => annotations.has(keyword));
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
