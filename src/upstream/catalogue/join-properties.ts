import { isObject, type Params } from "../../protocol/json-rpc.ts";

/**
 * All properties of several schemas. One of which they say different things may be any of these, or is all of them,
 * as `how` has it.
 */
export function joinProperties(branches: readonly Params[], how: "anyOf" | "allOf"): Params {
  const variants = new Map<string, Map<string, unknown>>();
  for (const { properties } of branches) {
    if (!isObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      const known = variants.get(name) ?? new Map<string, unknown>();
      variants.set(name, known.set(JSON.stringify(schema), schema));
    }
  }
  const joined = [...variants].map(
    ([name, said]) => [name, join([...said.values()], how)] as const,
  );
  return Object.fromEntries(joined);
}

function join(schemas: readonly unknown[], how: "anyOf" | "allOf"): unknown {
  if (schemas.length === 1) return schemas[0];
  const values = how === "anyOf" ? allValues(schemas) : undefined;
  return values === undefined ? { [how]: schemas } : values;
}

/** Where each schema names its values, as that does by which branches are told apart: one list of them. */
function allValues(schemas: readonly unknown[]): unknown {
  const texts: unknown[] = [];
  for (const schema of schemas) {
    if (!isObject(schema) || Object.keys(schema).some((key) => !valueKeys.has(key)))
      return undefined;
    if (Array.isArray(schema.enum)) texts.push(...(schema.enum as readonly unknown[]));
    else if ("const" in schema) texts.push(schema.const);
    else return undefined;
  }
  if (!texts.every((value) => typeof value === "string")) return undefined;
  const isTyped = schemas.every((schema) => isObject(schema) && schema.type === "string");
  return { ...(isTyped ? { type: "string" } : {}), enum: [...new Set(texts)] };
}

const valueKeys: ReadonlySet<string> = new Set(["type", "const", "enum"]);
