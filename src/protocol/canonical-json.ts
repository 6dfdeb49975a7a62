import { isObject } from "./json-rpc.ts";

/** JSON text with the members of objects in the order of their names: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (isObject(part) ? sorted(part) : part));
}

function sorted(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = Object.keys(object).sort();
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}
