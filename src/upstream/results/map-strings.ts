import { jsonDepthMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../protocol/json-rpc.ts";

/**
 * A copy of a JSON value with `map` held against all its texts and names of members. What lies deeper than any honest
 * value is left out.
 */
export function mapStrings(value: unknown, map: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) {
    if (depth >= jsonDepthMax) return [];
    return value.map((part: unknown) => mapStrings(part, map, depth + 1));
  }
  if (!isObject(value)) return value;
  if (depth >= jsonDepthMax) return {};
  // `fromEntries` makes an own member of `__proto__` too.
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [map(name), mapStrings(part, map, depth + 1)]),
  );
}
